// Whether a plan that nobody closed is a person's to look at. Alarms ask it at every look, at boards of any size.

import { describe, expect, it } from 'vitest';
import { abandonedPlan, planWake } from '../../../src/protocol/goal/plan.ts';
import type { State } from '../../../src/protocol/state.ts';
import { addDraft, PLANNER, type World, world } from './world.ts';

function drafted(handled: readonly number[]): World {
  const w = world();
  w.run(PLANNER, addDraft('a'));
  w.edit((state) => ({
    ...state,
    agents: {
      ...state.agents,
      'planner-1': {
        ...state.agents['planner-1'],
        handled: handled.map((nth) => `${planWake(state)}${nth}`),
      } as never,
    },
  }));
  return w;
}

const counting = (state: State): { readonly state: State; looked(): number } => {
  let looked = 0;
  const tasks = new Proxy([...state.tasks], {
    get(all, key) {
      looked += 1;
      return Reflect.get(all, key);
    },
  });
  return { state: { ...state, tasks }, looked: () => looked };
};

describe('a plan that was left open', () => {
  it('is a person’s after two sessions that ended without plan done, with the drafts that they left', () => {
    expect(abandonedPlan(drafted([1]).state)).toBeUndefined();
    expect(abandonedPlan(drafted([1, 2]).state)).toEqual({ sessions: 2, drafts: ['a'], planned: [] });
  });

  it('looks at no task before that', () => {
    const once = counting(drafted([1]).state);
    expect(abandonedPlan(once.state)).toBeUndefined();
    expect(once.looked()).toBe(0);
    const twice = counting(drafted([1, 2]).state);
    abandonedPlan(twice.state);
    expect(twice.looked()).toBeGreaterThan(0);
  });
});
