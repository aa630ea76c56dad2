// `liza analyze`: runs the circuit breaker. It says what it finds and halts; it proposes nothing.

import { findingLine } from '../../governance/rules/breaker.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { defined } from '../../protocol/values.ts';
import { committedResult, openTaskContext } from '../open-project.ts';
import { plain } from '../render/terminal.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  options: {
    resolve: { value: 'text', description: 'What was decided about a tripped breaker; - reads it from stdin.' },
  },
  examples: ['liza analyze', 'liza analyze --resolve "the pool is now per worker, see specs/db.md"'],
  details: [
    'Six patterns over this sprint’s anomalies and history; docs/governance.md says which. Finding one halts all',
    'work; it is written to .liza/circuit_breaker_report.md. liza run and liza watch look after every change.',
  ],
  run: async (args, io) => {
    const resolution = args.text('resolve');
    const context = await openTaskContext(io);
    if (isRefusal(context)) return context;
    const { analyze, resolveBreaker } = await import('../../governance/analyze.ts');
    const analysis = resolution === undefined ? await analyze(context) : await resolveBreaker(context, resolution);
    if (isRefusal(analysis)) return analysis;
    const { committed, findings, report } = analysis;
    const { status } = committed.state.circuit_breaker;
    const tripped = status === 'TRIGGERED';
    const result = committedResult(committed, () => ({
      lines: tripped ? [`Read ${report}`, 'Then: liza analyze --resolve "…", and liza resume --decision continue'] : [],
      data: {
        breaker: status,
        findings,
        lines: findings.map((one) => plain(findingLine(one))),
        ...defined({ report }),
      },
    }));
    return result;
  },
};
