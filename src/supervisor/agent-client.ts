// `liza` as an agent finds it first on its PATH. A program of a few lines hands what was typed to the supervisor and prints
// the answer: through the mailbox in a sandbox, over a socket outside it (cli/served/). It is perl, which most machines with
// git have, and which starts in a fifteenth of Node's time. Whatever it cannot hand over the whole program does.

import { join } from 'node:path';
import { type Disk, isExecutableFile } from '../ports/disk.ts';
import { GONE, HERE } from '../sandbox/mailbox-client.ts';
import { OF_PERL, PERLS } from '../sandbox/socket-scope.ts';
import type { BoardContext } from '../store/context.ts';

/** The folder of the socket by which a session outside the sandbox reaches its supervisor. */
export const SERVED = 'LIZA_SERVED';
/** Bytes that may go over it. */
export const LONGEST_STDIN = 4 * 1024 * 1024;
/** In that folder. */
export const SOCKET = 's';

export interface AgentClient {
  /** To go first on an agent's PATH. */
  readonly folder: string;
  /** How the small one shows among the processes, before what was typed. Undefined: there is none here. */
  readonly shows?: readonly [string, string];
}

/** Written again at every start: an upgrade moves the program. */
export function writeAgentClient(context: BoardContext, liza: readonly string[]): AgentClient {
  const { disk, paths, processes } = context;
  const folder = join(paths.liza, 'cache', 'bin');
  disk.mkdirSync(folder, { recursive: true });
  const perl = processes.platform === 'linux' ? perlOn(disk) : undefined;
  if (perl === undefined) {
    put(context, join(folder, 'liza'), `#!/bin/sh\nexec ${liza.map(quoted).join(' ')} "$@"\n`);
    return { folder };
  }
  const script = join(folder, '.client');
  put(context, script, clientText(liza));
  put(context, join(folder, 'liza'), starterText(liza, perl, script));
  return { folder, shows: [perl, script] };
}

const perlOn = (disk: Disk): string | undefined => PERLS.find((path) => isExecutableFile(disk, path));

/** Another supervisor may start at the same moment. */
function put({ disk, random }: BoardContext, file: string, text: string): void {
  const temporary = `${file}.${random.uuid()}`;
  disk.writeFileSync(temporary, text);
  disk.chmodSync(temporary, 0o755);
  disk.renameSync(temporary, file);
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Variables by which perl would run or print something else are the agent's own: then the program itself runs. */
const starterText = (liza: readonly string[], perl: string, script: string): string => `#!/bin/sh
if [ -n "\${LIZA_MAILBOX}\${${SERVED}}" ] && [ -z "${OF_PERL.map((name) => `$${name}`).join('')}" ] && [ -x ${quoted(perl)} ]; then
  export PERL_BADLANG=0
  exec ${quoted(perl)} ${quoted(script)} "$@"
fi
exec ${liza.map(quoted).join(' ')} "$@"
`;

const inPerl = (word: string): string => `'${word.replace(/['\\]/g, '\\$&')}'`;

/** After its words were read from stdin, they are no longer there for the program itself: they come from a file then. */
const clientText = (liza: readonly string[]): string => String.raw`my @program = (${liza.map(inPerl).join(', ')});
my ($first, $typed, $pipe) = ($ARGV[0], '', $SIG{PIPE});
$SIG{PIPE} = 'IGNORE';
binmode STDIN; binmode STDOUT; binmode STDERR; $| = 1;

sub itself {
  alarm 0;
  $SIG{PIPE} = defined $pipe && $pipe ne '' ? $pipe : 'DEFAULT';
  if ($typed ne '') {
    my $file;
    open($file, '+>', undef) && binmode($file) && print($file $typed) && seek($file, 0, 0) && open(STDIN, '<&', $file)
      or print(STDERR "liza: stdin could not be passed on: $!\n"), exit 3;
  }
  delete $ENV{PERL_BADLANG};
  exec { $program[0] } @program, @ARGV;
  print STDERR "liza: $program[0] could not be started: $!\n"; exit 3;
}

sub told {
  my ($code, $out, $err) = @_;
  my $news = $err =~ /^liza: news: /m ? $-[0] : length $err;
  print STDERR substr($err, 0, $news);
  print STDOUT $out;
  print STDERR substr($err, $news);
  exit $code;
}

sub answered {
  return unless $_[0] =~ /\A(\d+) (\w+)\n/;
  my ($code, $mark, $from) = ($1, $2, $+[0]);
  my $err = index($_[0], $mark, $from);
  my $end = $err < 0 ? -1 : index($_[0], $mark, $err + length $mark);
  return if $end < 0 || $end + length $mark != length $_[0];
  told($code, substr($_[0], $from, $err - $from), substr($_[0], $err + length $mark, $end - $err - length $mark));
}

sub whole { local $/; my $all = readline $_[0]; return defined $all ? $all : '' }

sub inside {
  my $mail = shift;
  my $id = sprintf '%08x%08x%08x', $$, time, rand 2 ** 32;
  my $text = sub { my $of = shift; $of =~ s/(["\\])/\\$1/g; $of =~ s/([\x00-\x1f])/sprintf '\\u%04x', ord $1/ge; qq("$of") };
  my @parts = ('"argv":[' . join(',', map { $text->($_) } @ARGV) . ']');
  push @parts, '"stdin":' . $text->($typed) if reads();
  push @parts, '"claims":' . $text->($ENV{LIZA_AGENT_ID}) if defined $ENV{LIZA_AGENT_ID};
  my $ask;
  open($ask, '>', "$mail/$id.tmp") && binmode($ask) && print($ask '{' . join(',', @parts) . '}') && close($ask)
    && rename("$mail/$id.tmp", "$mail/$id.ask") or itself();
  for (my $n = 0; !-e "$mail/$id.answer"; $n++) {
    last if (!-d $mail || -e "$mail/ended") && !-e "$mail/$id.answer";
    select undef, undef, undef, $n < 200 ? 0.001 : $n < 400 ? 0.005 : 0.02;
  }
  if (open my $answer, '<', "$mail/$id.answer") {
    binmode $answer;
    my $all = whole($answer);
    unlink "$mail/$id.answer";
    answered($all);
  }
  told(${GONE.code}, '', ${inPerl(GONE.stderr)});
}

sub outside {
  my ($at, $to, $proof) = shift;
  itself() if length $typed > ${LONGEST_STDIN};
  eval {
    local $SIG{ALRM} = sub { die };
    alarm 2;
    socket($to, 1, 1, 0) && sysopen(my $folder, "$at/.", 0) or die;
    connect($to, pack('S a108', 1, '/proc/self/fd/' . fileno($folder) . '/${SOCKET}')) or die;
    my $name = '';
    while ($name !~ /\n/) {
      # One that is stopped, or hangs, is not waited for.
      vec(my $ready = '', fileno $to, 1) = 1;
      select($ready, undef, undef, 0.5) > 0 && sysread($to, $name, 64, length $name) or die;
    }
    $name =~ /\A([0-9a-f]+)\n\z/ && sysopen($proof, "$at/$1", 0) or die;
    alarm 0;
    1;
  } or itself();
  my $ask = "$$ " . fileno($proof) . ' ' . length($typed) . "\n$typed";
  while ($ask ne '') {
    my $sent = syswrite $to, $ask;
    defined $sent ? substr($ask, 0, $sent, '') : $! == 4 || last;
  }
  my $all = '';
  while (1) {
    my $got = sysread $to, $all, 65536, length $all;
    last if defined $got ? $got == 0 : $! != 4;
  }
  itself() if $all eq "no\n";
  answered($all);
  itself() if $first eq 'show' || $first eq 'status';
  told(3, '', ${inPerl(UNKNOWN)});
}

sub reads { return grep { $_ eq '-' || /=-\z/ } @ARGV }

itself() if !defined $first || $first =~ /\A(?:-.*|${[...HERE, 'try'].filter((word) => !word.startsWith('-')).join('|')}|)\z/s || grep { $_ eq '--set-aside' } @ARGV;
my ($mail, $at) = @ENV{'LIZA_MAILBOX', '${SERVED}'};
itself() if !defined $mail && (!defined $at || -t STDOUT || -t STDERR || -t STDIN && reads());
$typed = whole(\*STDIN) if reads();
defined $mail ? inside($mail) : outside($at);
`;

/** A supervisor that died in the middle: the change may be durable, or not. */
export const UNKNOWN =
  'liza: the supervisor ended before it answered: whether this was done is not known\n  → Look before you repeat it: liza show <task>, or liza status\n';
