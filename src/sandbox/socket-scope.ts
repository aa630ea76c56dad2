// Closes a way between sandboxes (Linux 6.12 and newer). Those that have the network share one name space of abstract
// sockets, and a socket carries open folders: whoever gets one writes there for as long as it likes. So the program is put
// into a Landlock domain of its own: it reaches abstract sockets of that domain, and no other's. Node cannot ask the kernel
// for this, and perl, which most machines with git have, can. It then becomes the program.

import type { Environment } from '../ports/host.ts';

type Argv = readonly [string, ...string[]];

/** The system's alone: in a home it may be anybody's, and in the sandbox it may not be there. */
export const PERLS = ['/usr/bin/perl', '/bin/perl', '/usr/local/bin/perl', '/run/current-system/sw/bin/perl'];

/**
 * landlock_create_ruleset and landlock_restrict_self; of the three numbers of the rules only the last is set: the scope of
 * abstract sockets. Not that of signals: a program's parent, which is bubblewrap, would look as if it were gone. The words
 * before the program's are variables that perl itself must not see. A program that is not there is told as bubblewrap does.
 */
const ENTER = [
  'my $r = syscall(444, my $a = pack("x16Cx7", 1), 24, 0);',
  '$r >= 0 && syscall(446, $r, 0) == 0 or print(STDERR "liza: the sandbox cannot be closed: $!\\n"), exit 126;',
  'delete $ENV{PERL_BADLANG};',
  'for (1 .. shift) { my ($n, $v) = split /=/, shift, 2; $ENV{$n} = $v }',
  'exec { $ARGV[0] } @ARGV;',
  'print STDERR "bwrap: execvp $ARGV[0]: $!\\n"; exit 1',
].join(' ');

/** By these perl runs or prints something else than it is told to. */
export const OF_PERL = [
  ...['PERL5OPT', 'PERL5LIB', 'PERLLIB', 'PERL5DB', 'PERLIO', 'PERLIO_DEBUG', 'PERL_UNICODE', 'PERL_SIGNALS'],
  ...['PERL_BADLANG', 'PERL_MEM_LOG', 'PERL_HASH_SEED', 'PERL_HASH_SEED_DEBUG', 'PERL_PERTURB_KEYS'],
];

export interface Scoped {
  /** Of bubblewrap. */
  readonly options: readonly string[];
  readonly argv: Argv;
}

/** A language that the machine does not have would make perl complain, in the program's output. */
const QUIET = ['--setenv', 'PERL_BADLANG', '0'];

/** As the program is to be started inside. */
export function scoped(perl: string, argv: Argv, env: Environment): Scoped {
  const kept = OF_PERL.flatMap((name) => (env[name] === undefined ? [] : [`${name}=${env[name]}`]));
  return {
    options: [...OF_PERL.flatMap((name) => (env[name] === undefined ? [] : ['--unsetenv', name])), ...QUIET],
    argv: [perl, '-e', ENTER, '--', String(kept.length), ...kept, ...argv],
  };
}

/**
 * Ends with 0 where a socket of one domain is refused to another, and reached within its own. Where the kernel knows no
 * scope, entering fails; versions are not asked.
 */
export function scopeTrial(perl: string): Argv {
  const enter = (...argv: Argv): Argv => scoped(perl, argv, {}).argv;
  return [perl, '-e', TRY, '--', perl, LISTEN, CONNECT, ...enter(perl)];
}

const ADDRESS = 'my $at = pack("S a*", 1, "\\0liza-scope-trial"); socket(my $s, 1, 1, 0) or exit 2;';
/** To itself; then it waits for ever, and ends with the sandbox. */
const LISTEN = `${ADDRESS} bind($s, $at) && listen($s, 2) or exit 3; socket(my $c, 1, 1, 0); connect($c, $at) or exit 4; $| = 1; print "x"; sleep`;
const CONNECT = `${ADDRESS} exit(connect($s, $at) ? 5 : $! == 1 ? 0 : 6)`;
const TRY = [
  'my ($perl, $listen, $connect, @enter) = @ARGV;',
  'my $child = open(my $said, "-|") // exit 7;',
  'exec @enter, "-e", $listen if !$child;',
  'read($said, my $x, 1) or exit 8;',
  'exec @enter, "-e", $connect',
].join(' ');
