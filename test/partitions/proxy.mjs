// A TCP proxy whose weather the test makes: well; down, which refuses and cuts; half-open, which takes everything and passes
// nothing on; delay, which passes it on late.

import { once } from 'node:events';
import net from 'node:net';

export async function openProxy(target) {
  const sockets = new Set();
  let weather = { kind: 'well' };
  const pass = (from, to) => {
    from.on('data', (bytes) => {
      if (weather.kind === 'half-open') return;
      if (weather.kind === 'delay') setTimeout(() => to.writable && to.write(bytes), weather.ms);
      else to.write(bytes);
    });
    from.on('error', () => {});
    from.on('close', () => to.destroy());
  };
  const server = net.createServer((client) => {
    if (weather.kind === 'down') return void client.destroy();
    const upstream = net.connect(target, '127.0.0.1');
    for (const one of [client, upstream]) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on('close', () => sockets.delete(one));
    }
    pass(client, upstream);
    pass(upstream, client);
  });
  const cut = () => {
    for (const one of sockets) one.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: server.address().port,
    set(next) {
      // What was swallowed is gone: a connection that missed some of it must not go on.
      const wasHalfOpen = weather.kind === 'half-open';
      weather = next;
      if (next.kind === 'down' || (wasHalfOpen && next.kind !== 'half-open')) cut();
    },
    cut,
    async close() {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
}
