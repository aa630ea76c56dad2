// The agents of a crew that is measured: a coder that takes no time over a file and its test, and a reviewer that approves.

import { SHOWN } from '../test/support/core.mjs';

export const WORKER = `case $LIZA_AGENT_ID in
coder-*)
  task=$(git branch --show-current | sed 's#task/##')
  liza begin "$task" --intent "write the file of the task" --risks "none" --validation "test -f src/$task.txt: exits with 0" --file "src/$task.txt" || exit 1
  mkdir -p src test && echo "$task" > "src/$task.txt" && echo "check('$task');" > "test/$task.test.js"
  git add -A && git commit -q -m "$task" && liza submit-for-review "$task" HEAD && liza exit 42 ;;
code-reviewer-*)
  task=$(sed -n 's/^TASK ID: //p' | head -1)
  liza submit-verdict "$task" APPROVED "${SHOWN}" && liza exit 0 ;;
*) liza exit 0 ;;
esac`;
