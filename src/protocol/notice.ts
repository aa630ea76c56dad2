// What the store tells besides the answer to a command: edits made by hand, records set aside, a write that is not
// finished. Notices are told apart by their kind; the message is for people, and nothing may match its words.

export type Notice = InvalidState | OtherNotice;

/** state.yaml cannot be read, and the last good state is shown. */
interface InvalidState {
  readonly kind: 'invalid-state';
  readonly level: 'alarm';
  readonly message: string;
  /** What is wrong with it: the message without its heading. */
  readonly problem: string;
}

interface OtherNotice {
  readonly kind: /** state.yaml was edited by hand; the next command takes the edit in. */
    | 'edit-pending'
    /** An edit made by hand was taken in. */
    | 'edit-adopted'
    /** A record of such an edit was refused, or waits for the operator; it is kept in rejected/. */
    | 'set-aside'
    /** Settings changed by hand wait for `liza edit --adopt`. */
    | 'settings-wait'
    /** The board was written by hand; the first command adopts it. */
    | 'no-journal'
    /** The entry is in the journal, but the files after it could not be written. */
    | 'commit-unfinished'
    | 'not-archived';
  readonly level: 'info' | 'alarm';
  readonly message: string;
}

/** How the journal's detail of an `external_edit` begins. */
export const EDITED_OUTSIDE = 'edited outside liza: ';
