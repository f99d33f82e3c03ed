/** The calls of one client: a refused or lost call is retried at the next node until one answers. */
import { setTimeout as delay } from "node:timers/promises"
import type { Node } from "#test/support/Nodes.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import type { Work } from "./Works.ts"

/** Timeout of an answer, ms. */
const patienceMs = 5_000

const retryDelayMs = 100

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly [field: string]: unknown }
  /** Duration, ms. */
  readonly ms: number
}

export interface CallOptions {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  /** ms */
  readonly patienceMs?: number
}

/** One call to one node. */
export const call = async ({ url }: Pick<Node, "url">, path: string, options: CallOptions = {}) => {
  const began = performance.now()
  const { body, headers, method = "GET" } = options
  const response = await fetch(url + path, {
    method,
    headers: { ...ServerProcess.authorization, "content-type": "application/json", ...headers },
    signal: AbortSignal.timeout(options.patienceMs ?? patienceMs),
    ...(body && { body: JSON.stringify(body) })
  })
  const text = await response.text()
  const answer: Answer = {
    status: response.status,
    headers: response.headers,
    body: text === "" ? {} : (JSON.parse(text) as Answer["body"]),
    ms: performance.now() - began
  }
  return answer
}

export const submission = (
  { endpoint, headers, input }: Work,
  key: string
): readonly [path: string, options: CallOptions] => [
  `/${endpoint}`,
  { method: "POST", body: input, headers: { ...headers, "idempotency-key": key } }
]

export interface Client {
  /** Submits at any node, some of which may be down. Returns the id. */
  readonly submit: (work: Work, key: string) => Promise<string>
  readonly cancel: (id: string, work: Work) => Promise<void>
  /** Waits until the request has ended. */
  readonly ended: (id: string, work: Work) => Promise<void>
}

/** Begins at the node with that number. Forbidden answers are passed to `onSurprise`. */
export const client = (
  nodes: ReadonlyArray<Node>,
  number: number,
  onSurprise: (surprise: string) => void
): Client => {
  let turn = number

  const isRefused = ({ headers, status }: Answer) => status === 503 && headers.has("retry-after")

  /** Repeats until a node answers with one of `expected`. */
  const persist = async (path: string, expected: ReadonlyArray<number>, options?: CallOptions) => {
    for (;;) {
      const node = nodes[turn % nodes.length]
      const answer = node && (await call(node, path, options).catch(() => undefined))
      if (answer !== undefined && expected.includes(answer.status)) return answer.body
      if (answer !== undefined && !isRefused(answer)) {
        const told = JSON.stringify(answer.body).slice(0, 500)
        onSurprise(`${node?.url} answered ${options?.method ?? "GET"} ${path} with ${answer.status}: ${told}`)
      }
      turn++
      await delay(retryDelayMs)
    }
  }

  return {
    submit: async (work, key) => {
      const [path, options] = submission(work, key)
      return String((await persist(path, [200], options))["request_id"])
    },
    // At another node than the submit.
    cancel: async (id, { endpoint }) => {
      turn++
      await persist(`/${endpoint}/requests/${id}/cancel`, [200], { method: "PUT" })
    },
    ended: async (id, { endpoint }) => {
      turn++
      for (;;) {
        // A failed request is reported as 400.
        const { status } = await persist(`/${endpoint}/requests/${id}/status?wait=2`, [200, 400])
        if (status !== "IN_QUEUE" && status !== "IN_PROGRESS") return
      }
    }
  }
}
