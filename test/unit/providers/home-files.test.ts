import { expect, test } from 'vitest';
import { CLAUDE_HOME, GEMINI_HOME, homeOf, OPENCODE_HOME } from '../../../src/providers/home-files.ts';

test.each([
  [['gemini', '--acp'], GEMINI_HOME],
  [['/usr/local/bin/opencode', 'acp'], OPENCODE_HOME],
  [['npx', '@vendor/claude-code-acp'], CLAUDE_HOME],
])('an ACP agent that is started by %s has that CLI’s login and no other', (argv, home) => {
  expect(homeOf(argv)).toEqual(home);
});

test('an ACP agent of an unknown name gets nobody’s login', () => {
  expect(homeOf(['my-agent']).flatMap(({ login = [], settings = [] }) => [...login, ...settings])).toEqual([]);
});

test('the cloud’s own login is Gemini’s only where it works with Vertex AI', () => {
  const cloud = GEMINI_HOME.filter(({ folder }) => folder === '.config/gcloud');
  expect(cloud.map(({ when }) => when)).toEqual([['GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_CLOUD_LOCATION']]);
});
