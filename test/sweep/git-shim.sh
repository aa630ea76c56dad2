#!/bin/sh
# Stands before git on the PATH of a swept command, and before the git that git starts. Calls are told
# apart as <subcommand>.<n>; the one named by SWEEP_AT is traced, or each of them when it is "every".
# SWEEP_HOW: "git" kills that git alone, "all" it and everybody else of the run at the same moment,
# "orphan" kills Liza while this git is held up, and lets it go on.

export GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'
[ -n "$SWEEP_AT" ] || exec "$SWEEP_GIT" "$@"
export GIT_EXEC_PATH="$SWEEP_SHIMS"

[ "${0##*/}" = git ] || set -- "$(basename "$0" | cut -c 5-)" "$@"
call=
skip=
for word in "$@"; do
  if [ -n "$skip" ]; then skip=; continue; fi
  case $word in
    -c | -C | --git-dir) skip=1 ;;
    -*) ;;
    *) call=$word; break ;;
  esac
done
n=1
set -C
until { true > "$SWEEP_LOGS/$call.$n"; } 2> /dev/null; do n=$((n + 1)); done
set +C

log="$SWEEP_LOGS/$call.$n.log"
if [ "$SWEEP_AT" = every ]; then
  exec strace -D -q -y -s 32 -e "trace=$SWEEP_TRACE" -o "$log" "$SWEEP_GIT" "$@"
fi
[ "$SWEEP_AT" = "$call.$n" ] || exec "$SWEEP_GIT" "$@"
case $SWEEP_HOW in
  git)
    exec strace -D -q -y -s 32 -e "trace=$SWEEP_TRACE" -e "inject=$SWEEP_INJECT" -o "$log" "$SWEEP_GIT" "$@"
    ;;
  all)
    strace -q -y -s 32 -e "trace=$SWEEP_TRACE" -e "inject=$SWEEP_INJECT" -o "$log" "$SWEEP_GIT" "$@"
    code=$?
    [ $code = 137 ] && kill -9 0
    exit $code
    ;;
  orphan)
    (sleep 0.3; kill -9 "$SWEEP_PID") > /dev/null 2>&1 < /dev/null 3>&- &
    exec strace -D -q -y -s 32 -e "trace=$SWEEP_TRACE" -e "inject=$SWEEP_INJECT" -o "$log" "$SWEEP_GIT" "$@"
    ;;
esac
