// A blackboard as a person might have written it: comments everywhere, fields and sections of their own,
// block scalars, flow collections, several indentations, commit ids that look like numbers.

export const FAR = '2099-01-01T00:00:00Z';

export const HANDWRITTEN = `# Our board. Please keep the comments!
# (the second line of the head)
version: 1   # do not touch

goal:
  id: goal-1
  description: >
    Retry all API calls,
    politely.
  spec_ref: specs/vision.md
  created: "2026-01-05T09:00:00Z"
  status: IN_PROGRESS
  motto: 'never give up'      # our own field
  alignment_history: []

# ---- tasks ----------------------------------------------------------
tasks:
    # the draft stays a draft until Ada is back
    - id: draft-one
      status: DRAFT
      priority: 4
      description: |
        First line: with a colon.
          indented "line"

        Last line.
      owner: {team: payments, people: [ada, 'grace']}   # unknown to liza
      spec_ref: specs/vision.md
      done_when: >-
        the nightly run
        is green
      scope: "IN: src/"
      history:
        - {time: "2026-01-05T09:00:00Z", event: created, agent: human}

    - id: open-one   # may be claimed
      status: UNCLAIMED
      type: code
      priority: 2
      description: Retry the login
      spec_ref: specs/vision.md
      done_when: three 503s in a row still log in
      scope: 'IN: src/auth  OUT: the UI'
      depends_on: [ ]
      validation: ["npm test", "npm run lint # fast"]
      history:
      - time: "2026-01-05T09:00:00Z"
        event: created   # a list without indentation
        agent: human
    # between two tasks
    - id: claimed-one
      status: CLAIMED
      priority: 1
      description: "Retry the upload"
      spec_ref: specs/vision.md
      done_when: uploads survive a 503
      scope: src/upload
      assigned_to: coder-1
      worktree: .worktrees/claimed-one
      base_commit: "12e4567"
      iteration: 1
      epoch: 3
      lease_expires: "${FAR}"
      history:
          - time: "2026-01-05T09:00:00Z"
            event: created
            agent: human
          - time: "2026-01-05T10:00:00Z"
            event: claimed
            agent: coder-1
            note: "own field in an event"
    - id: blocked-one
      status: BLOCKED
      priority: 3
      description: Retry the payment
      spec_ref: specs/vision.md
      done_when: no payment twice
      scope: src/pay
      blocked_reason: |-
        The spec does not say
        how often.
      blocked_questions:
          - "How often: 3 or 5?"
      assigned_to: ~
      history:
          - {time: "2026-01-05T09:00:00Z", event: created, agent: human}
    - id: review-one
      status: READY_FOR_REVIEW
      priority: 2
      description: Retry the export
      spec_ref: specs/vision.md
      done_when: exports survive a 503
      scope: src/export
      assigned_to: coder-2
      worktree: .worktrees/review-one
      base_commit: '0123456'
      review_commit: '0000001'
      iteration: 1
      epoch: 1
      reviewing_by: code-reviewer-1
      review_lease_expires: "${FAR}"
      history:
          - {time: "2026-01-05T09:00:00Z", event: created, agent: human}
          - {time: "2026-01-05T09:30:00Z", event: claimed, agent: coder-2}
          - {time: "2026-01-05T09:40:00Z", event: submitted_for_review, agent: coder-2}
    - id: merged-one
      status: MERGED
      priority: 3
      description: Retry the ping
      spec_ref: specs/vision.md
      done_when: pings survive
      scope: src/ping
      merge_commit: "1234567"
      approved_by: code-reviewer-1
      history:
          - {time: "2026-01-05T09:00:00Z", event: created, agent: human}
          - {time: "2026-01-05T09:50:00Z", event: merged, agent: code-reviewer-1}

# ---- who is at work --------------------------------------------------
agents:
  coder-1:      # the fast one
    role: coder
    status: WORKING
    current_task: claimed-one
    epoch: 3
    lease_expires: "${FAR}"
    member: window       # own field
  coder-2: {role: coder, status: WAITING, current_task: review-one, epoch: 1, lease_expires: "${FAR}"}
  code-reviewer-1:
    role: code_reviewer
    status: REVIEWING
    current_task: review-one
    epoch: 1
    lease_expires: "${FAR}"
  planner-1:
     role: planner
     status: IDLE

discovered: []
handoff: {}
human_notes:
# a note without indentation
- timestamp: "2026-01-05T09:00:00Z"
  message: "Ask Ada before you touch the ping"
  colour: yellow
spec_changes:
anomalies: [ ]

sprint:
  id: sprint-1
  goal_ref: goal-1
  scope:
    planned: [open-one, claimed-one, review-one, merged-one]
    stretch: []
  timeline: {started: "2026-01-05T09:00:00Z"}
  status: IN_PROGRESS

circuit_breaker:
  status: OK
config:
  integration_branch: integration   # where approved work goes
  lease_duration: 300
  test_command: npm test
  my_own_setting: [1, 2, 3]
  escalation_webhook: null

# a section of our own
our_wiki:
  pages:
    - Home   # start here
    - Retry
# the end
`;

/** Every comment of the fixture: none may ever be lost. */
export const COMMENTS = HANDWRITTEN.split('\n').flatMap((line) => {
  const at = /(^|\s)#\s.*$/.exec(line.replace(/"[^"]*"/g, (quoted) => '_'.repeat(quoted.length)));
  return at === null ? [] : [line.slice(at.index).trim()];
});
