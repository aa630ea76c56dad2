// How far the person's branch and the integration branch are apart: what agents read in the person's folder is no lag.

import { expect, test } from 'vitest';
import { baseDistance } from '../../../src/git/base-branch.ts';
import { type Project, project } from '../../support/project.ts';

const distance = async (p: Project) => baseDistance(p.context, (await p.store.read()).board);

test('documents beside that of the goal are no lag, code is', async () => {
  const p = project({ config: { base_branch: 'main' } });
  p.git('update-ref', 'refs/heads/main', 'integration');
  p.commitTo('main', { 'specs/earlier.md': 'The goal before.\n' }, 'the goal before');
  expect(await distance(p)).toMatchObject({ branch: 'main', lacks: 1, onlyDocument: true });
  p.commitTo('main', { 'specs/vision.md': 'What is wanted now.\n' }, 'the goal');
  expect(await distance(p)).toMatchObject({ lacks: 2, onlyDocument: true });
  p.commitTo('main', { 'src/app.ts': 'export const app = 2;\n' }, 'code');
  expect(await distance(p)).not.toHaveProperty('onlyDocument');
});
