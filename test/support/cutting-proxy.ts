// A TCP proxy between a client and its server that can cut what passes through it: after so many bytes in one direction,
// in the middle of a message if that is where they end. What was passed on by then has arrived.

import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';

export type Direction = 'to server' | 'to client';

export interface Cut {
  readonly direction: Direction;
  /** Bytes that still pass, from the moment the cut is set. */
  readonly after: number;
  /** The server goes on for so long before it learns of it. */
  readonly linger?: number;
}

export class CuttingProxy {
  readonly #server: net.Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #cut: { readonly plan: Cut; left: number } | undefined;
  /** New connections are refused. */
  isDown = false;
  readonly passed = { 'to server': 0, 'to client': 0 };
  cuts = 0;

  private constructor(target: number) {
    this.#server = net.createServer((client) => {
      if (this.isDown) return void client.destroy();
      const server = net.connect(target, '127.0.0.1');
      const pair = [client, server] as const;
      this.#pairs.add(pair);
      for (const socket of pair) {
        socket.setNoDelay(true);
        socket.on('error', () => {});
      }
      this.#pass(client, server, 'to server');
      this.#pass(server, client, 'to client');
      client.on('close', () => server.destroy());
      server.on('close', () => {
        client.destroy();
        this.#pairs.delete(pair);
      });
    });
  }

  static async open(target: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  set(plan: Cut | undefined): void {
    this.#cut = plan && { plan, left: plan.after };
  }

  /** Everything that is open now. */
  cutAll(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cutAll();
    await once(this.#server, 'close');
  }

  #pass(from: Socket, to: Socket, direction: Direction): void {
    from.on('data', (bytes: Buffer) => {
      this.passed[direction] += bytes.length;
      const cut = this.#cut;
      if (cut?.plan.direction !== direction) return void to.write(bytes);
      if (bytes.length <= cut.left) {
        cut.left -= bytes.length;
        return void to.write(bytes);
      }
      this.#cut = undefined;
      this.cuts += 1;
      const [client, server] = direction === 'to server' ? [from, to] : [to, from];
      from.pause();
      // What passed arrives before the end does.
      to.write(bytes.subarray(0, cut.left), () => {
        client.removeAllListeners('close');
        client.destroy();
        setTimeout(() => server.destroy(), cut.plan.linger ?? 0);
      });
    });
  }
}
