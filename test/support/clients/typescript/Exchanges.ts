/** A server on this machine whose answers a test writes, and a client of it that waits for nothing. */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import type { ClientOptions } from "#clients/typescript/ClientOptions.ts"
import { Inferlog } from "#clients/typescript/Inferlog.ts"

export type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void

export const json = (response: http.ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json", "x-request-id": "call_1" })
  response.end(JSON.stringify(body))
}

/** `answer` answers from then on. Pauses of the client's clock are in `pauses`, and take no time. */
export const serve = async () => {
  let handler: Handler = (_, response) => json(response, 500, {})
  const server = http.createServer((request, response) => handler(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const pauses: Array<number> = []
  const clock = {
    now: () => Date.now(),
    sleep: async (ms: number) => void pauses.push(ms)
  }
  return {
    url,
    pauses,
    answer: (next: Handler) => void (handler = next),
    client: (options: ClientOptions = {}) => new Inferlog({ url, key: "key_1:secret", clock, ...options }),
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    }
  }
}

/** What a promise is rejected with. */
export const rejection = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error("It is not rejected")
}

/** A signal that counts the listeners at it. */
class CountedSignal extends AbortController {
  readonly #counted = new Set<unknown>()

  constructor() {
    super()
    const { signal } = this
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (type: string, listener: () => void) => {
      this.#counted.add(listener)
      add(type, listener)
    }
    signal.removeEventListener = (type: string, listener: () => void) => {
      this.#counted.delete(listener)
      remove(type, listener)
    }
  }

  readonly listeners = (): number => this.#counted.size
}

export const countedSignal = (): CountedSignal => new CountedSignal()
