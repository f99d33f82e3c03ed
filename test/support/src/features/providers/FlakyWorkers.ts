/**
 * Workers by `docs/reference/provider-contract.md` that fail at random in every possible way, and record what they
 * delivered.
 */
import { Effect } from "effect"
import type * as Http from "node:http"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as JsonHttp from "#test/support/upstreams/JsonHttp.ts"

/** Random numbers from 0 to 1 by a seed (mulberry32, by T. Ettinger, public domain). */
export const random = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The frequency of each per thousand calls; other calls are answered correctly at once. */
const faults = [
  ["fails", 60],
  ["resets", 50],
  ["refuses", 40],
  ["says that the run failed", 40],
  ["breaks the output schema", 20],
  ["answers late", 80],
  ["loses the job", 8],
  ["asks to be left alone", 2]
] as const
/** The possible fates of a call. */
export const ways = faults.length + 1
type Fault = (typeof faults)[number][0] | "none"

const faultOf = (chance: number): Fault => {
  let left = chance * 1_000
  for (const [fault, share] of faults) {
    left -= share
    if (left < 0) return fault
  }
  return "none"
}

const good: Json = { output: { value: "out" } }

interface FlakyWorker {
  readonly url: string
  /** Requests with a delivered output. */
  readonly served: ReadonlySet<string>
  /** The number of faults by kind. */
  readonly went: ReadonlyMap<Fault, number>
  /** Takes the worker down: cuts this many connections at once. */
  readonly goDown: (calls: number) => void
}

/** @param chance returns numbers from 0 to 1 */
export const make = Effect.fnUntraced(function* (chance: () => number) {
  const served = new Set<string>()
  const went = new Map<Fault, number>()
  /** Accepted jobs, and the number of status calls until each is done. */
  const jobs = new Map<string, { readonly id: string; left: number }>()
  /** Every fault occurs at least once. */
  const first = faults.map(([fault]) => fault)
  let down = 0

  const serve = (id: string, response: Http.ServerResponse) => {
    served.add(id)
    JsonHttp.answer(response, 200, good)
  }

  const accept = (id: string, key: string, left: number, response: Http.ServerResponse) => {
    jobs.set(key, { id, left })
    JsonHttp.answer(response, 202, { jobId: key })
  }

  const post = (id: string, key: string, response: Http.ServerResponse) => {
    const fault = down-- > 0 ? "resets" : (first.pop() ?? faultOf(chance()))
    went.set(fault, (went.get(fault) ?? 0) + 1)
    switch (fault) {
      case "none":
        return serve(id, response)
      case "fails":
        return JsonHttp.answer(response, 503, { error: "Out of memory." })
      case "resets":
        return void response.destroy()
      case "refuses":
        return JsonHttp.answer(response, 400, { error: "No such weights." })
      case "says that the run failed":
        return JsonHttp.answer(response, 200, { error: "The prompt is too long." })
      case "breaks the output schema":
        return JsonHttp.answer(response, 200, { output: { value: 7 } })
      case "answers late":
        return accept(id, key, 1 + Math.floor(chance() * 3), response)
      case "loses the job":
        return accept(id, key, Infinity, response)
      case "asks to be left alone":
        return JsonHttp.answer(response, 429, { error: "Slow down." }, { "retry-after": "0.3" })
    }
  }

  const look = (key: string, response: Http.ServerResponse) => {
    const job = jobs.get(key)
    if (job === undefined || job.left === Infinity) return JsonHttp.answer(response, 404, {})
    return --job.left > 0 ? JsonHttp.answer(response, 200, { status: "running" }) : serve(job.id, response)
  }

  const { port } = yield* Receiver.http((request, response) => {
    void JsonHttp.read(request).then((read) => {
      if (read === null) return
      const { body, headers, method, path } = read
      if (method === "POST" && JsonHttp.isObject(body)) {
        return post(String(body["id"]), String(headers["idempotency-key"]), response)
      }
      return look(path.slice("/runs/".length), response)
    })
  })
  return {
    url: `http://127.0.0.1:${port}/runs`,
    served,
    went,
    goDown: (calls: number) => void (down = calls)
  } satisfies FlakyWorker
})
