// Tests that stand within files of code: which of them lost lines, which are gone, and which stand elsewhere.

import { describe, expect, it } from 'vitest';
import { readHunks } from '../../../src/tasks/rules/diff-lines.ts';
import { editsWithin } from '../../../src/tasks/rules/tests-within.ts';

/** A diff in which the given lines of the text went, and others came to it or to another file. */
function edited(path: string, before: string, after: string, elsewhere: readonly [string, string] = ['o.rs', '']) {
  const lines = before.split('\n');
  const left = after.split('\n');
  const gone = lines.flatMap((text, at) => (left.includes(text) ? [] : [`@@ -${at + 1} +0,0 @@\n-${text}`]));
  const came = left.flatMap((text, at) => (lines.includes(text) ? [] : [`@@ -0,0 +${at + 1} @@\n+${text}`]));
  const [place, text] = elsewhere;
  const other = `diff --git a/${place} b/${place}\n--- /dev/null\n+++ b/${place}\n@@ -0,0 +1 @@\n${text.replace(/^/gm, '+')}`;
  const diff = `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${[...gone, ...came].join('\n')}\n${other}`;
  return (named = false) => {
    const { changed, removed, moved, lost } = editsWithin(readHunks(diff), path, { before, after, named });
    return { changed, removed, moved, lost: lost.map(({ at, text: line }) => `${at} ${line.trim()}`) };
  };
}

const NONE = { changed: [], removed: [], moved: [], lost: [] };

const RUST = `/// Doubles.
///
/// \`\`\`
/// assert_eq!(lib::double(2), 4);
/// \`\`\`
pub fn double(n: u32) -> u32 {
    n * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn helper() -> u32 { 4 }

    #[test]
    fn doubles_two() {
        let text = "}";
        assert_eq!(double(2), helper());
        assert_eq!(text.len(), 1);
    }

    #[tokio::test]
    async fn doubles_zero() {
        assert_eq!(double(0), 0);
        assert!(double(0) < 1);
    }
}

pub fn after() -> u32 {
    7
}
`;
const without = (text: string, ...parts: readonly string[]): string =>
  parts.reduce((all, part) => {
    if (!all.includes(part)) throw new Error(part);
    return all.replace(part, '');
  }, text);
const ZERO = `    #[tokio::test]
    async fn doubles_zero() {
        assert_eq!(double(0), 0);
        assert!(double(0) < 1);
    }
`;

describe('tests within Rust code', () => {
  it('an assertion that went is told under the name of its test', () => {
    const after = without(RUST, '        assert_eq!(double(2), helper());\n');
    expect(edited('src/lib.rs', RUST, after)()).toEqual({
      ...NONE,
      changed: ['doubles_two'],
      lost: ['19 assert_eq!(double(2), helper());'],
    });
  });

  it('a test that went is told as removed, and a helper under its module', () => {
    const after = without(RUST, ZERO, '    fn helper() -> u32 { 4 }\n');
    expect(edited('src/lib.rs', RUST, after)()).toMatchObject({ removed: ['doubles_zero'], changed: ['tests'] });
  });

  it('a doctest is named by what it documents', () => {
    const after = RUST.replace('/// assert_eq!(lib::double(2), 4);', '/// lib::double(2);');
    expect(edited('src/lib.rs', RUST, after)()).toMatchObject({ changed: ['doctest of double'], removed: [] });
  });

  it('an attribute of a test counts for its own item, whatever stands between', () => {
    const before =
      '#[cfg(test)]\nextern crate quickcheck;\n\npub fn f() {\n    x();\n}\n\n#[test]\n#[cfg(any(\n    unix,\n))]\n// why\nfn on_unix() {\n    y();\n}\n';
    expect(edited('src/lib.rs', before, before.replace('    x();', '    z();'))()).toEqual(NONE);
    expect(edited('src/lib.rs', before, before.replace('    y();', '    z();'))().changed).toEqual(['on_unix']);
  });

  it('code beside them is none of theirs', () => {
    const after = RUST.replace('    n * 2', '    n + n').replace('    7', '    8');
    expect(edited('src/lib.rs', RUST, after)()).toEqual(NONE);
  });

  it('a test that another file has now, with changes, is told as moved there', () => {
    const there = ZERO.replace('assert!(double(0) < 1)', 'assert!(lib::double(0) < 1)');
    const at = ['tests/zero.rs', there] as const;
    expect(edited('src/lib.rs', RUST, without(RUST, ZERO), at)()).toMatchObject({
      moved: ['doubles_zero → tests/zero.rs'],
      removed: [],
    });
  });

  it('a test that only got another name is told as changed', () => {
    const after = RUST.replace('fn doubles_two', 'fn doubles_a_two');
    expect(edited('src/lib.rs', RUST, after)()).toMatchObject({ changed: ['doubles_two'], removed: [] });
  });
});

describe('tests within other code', () => {
  it.each([
    ['a.zig', 'fn f() void {\n    x();\n}\n\ntest "adds" {\n    try expect(f() == 1);\n}\n', 'try expect', 'adds'],
    [
      'a.d',
      'int f() { return 1; }\nunittest\n{\n    assert(f() == 1);\n    assert(f() < 2);\n}\n',
      'assert(f() <',
      'unittest assert(f() == 1);',
    ],
    ['a.py', 'def f():\n    """Adds.\n\n    >>> f(1)\n    2\n    """\n    return 2\n', '    2', 'doctest of f'],
    [
      'a.js',
      "export const f = () => 1;\nif (import.meta.vitest) {\n  const { it, expect } = import.meta.vitest;\n  it('is one', () => {\n    expect(f()).toBe(1);\n    expect(f()).not.toBe(2);\n  });\n}\n",
      'not.toBe',
      'is one',
    ],
    ['a.ex', '  @doc """\n      iex> f(1)\n      2\n  """\n  def f(n), do: n\n', '      2', 'doctest of the module'],
  ])('%s: a line that a test lost is told with the test', (path, before, part, name) => {
    const after = before
      .split('\n')
      .filter((line) => !line.includes(part))
      .join('\n');
    const told = edited(path, before, after)();
    expect(told.changed).toEqual([name]);
    expect(told.lost).toHaveLength(1);
  });

  it('a function of the product that is called like a test is none, unless tests_in_code names its file', () => {
    const before = 'def f():\n    return 2\n\ndef test_connection(host):\n    x = f()\n    assert x == 2\n';
    const after = 'def f():\n    return 2\n';
    expect(edited('src/db.py', before, after)()).toEqual(NONE);
    expect(edited('src/db.py', before, after)(true).removed).toContain('test_connection');
  });

  it('a test of vitest within a script that is gone is told; a script without such a block holds none', () => {
    const block = "if (import.meta.vitest) {\n  it('is one', () => {\n    expect(f()).toBe(1);\n  });\n}\n";
    const before = `export const f = () => 1;\n${block}`;
    const after = 'export const f = () => 1;\n';
    expect(edited('src/q.js', before, after)()).toMatchObject({ removed: ['is one'] });
    const plain = block.replace('import.meta.vitest', 'globalThis.x');
    expect(edited('src/q.js', `export const f = () => 1;\n${plain}`, after)()).toEqual(NONE);
  });

  const C =
    'int f(void) {\n  return 1;\n}\nint main(void) {\n  test_cond("adds one",\n    f() == 1);\n  test_cond("stays", f() < 2);\n}\n';
  it('in a file that tests_in_code names, each line that tests something, by what it quotes', () => {
    const after = without(C, '  test_cond("stays", f() < 2);\n');
    expect(edited('sds.c', C, after)(true)).toMatchObject({ removed: ['stays'] });
    expect(edited('sds.c', C, after)(false)).toEqual(NONE);
    expect(edited('sds.c', C, C.replace('  return 1;', '  return 2;'))(true)).toEqual(NONE);
  });
});
