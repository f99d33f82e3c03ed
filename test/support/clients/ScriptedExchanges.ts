/** Plays the exchanges of a case in order, and lists how the client's requests differ from what must come. */
import type { BehaviourCase, Expected, Place } from "./BehaviourCase.ts"
import type { Reaction, Script } from "./FaultyServer.ts"
import * as Match from "./Match.ts"
import * as RawAnswer from "./RawAnswer.ts"
import type { RawRequest } from "./RawRequest.ts"
import * as Upload from "./UploadBytes.ts"
import type { Play, Step } from "./Variants.ts"

export interface Exchanges extends Script {
  readonly bindings: Match.Bindings
  readonly complaints: ReadonlyArray<string>
  readonly arrived: () => number
  /** The requests that have not come. */
  readonly missing: () => ReadonlyArray<string>
}

/** No client repeats a call for it. */
const unexpected = RawAnswer.of({
  status: 418,
  body: { error: "Unexpected.", request_id: "call_unexpected" }
})

const reaction = ({ answer, fault }: Step): Reaction => {
  if (fault === undefined) return { bytes: answer.bytes }
  if (fault === "no-answer") return { bytes: answer.bytes, cut: 0 }
  if (fault === "byte-by-byte") return { bytes: answer.bytes, isBytewise: true }
  if ("hang" in fault) return { bytes: answer.bytes, cut: fault.hang, hangs: true }
  if ("slow" in fault)
    return {
      bytes: answer.bytes,
      pauses: { ms: fault.slow, at: answer.ends.length > 0 ? answer.ends : [0, 20] }
    }
  if ("cut" in fault && fault.cut !== "everywhere") return { bytes: answer.bytes, cut: fault.cut }
  throw new Error(`an answer cannot have the fault ${JSON.stringify(fault)}`)
}

const named = ({ method, path }: Expected): string =>
  `${method} ${typeof path === "string" ? path : JSON.stringify(path)}`

const isSubmit = ({ method, path }: RawRequest): boolean =>
  method === "POST" &&
  /^\/[^/]+\/[^/?]+(\?.*)?$/.test(path) &&
  !/^\/(keys|pricing|webhooks|storage)\//.test(path)

/** The query in the order of its names, which is not for a client to keep. */
const sorted = (path: string): string => {
  const [start = "", query] = path.split("?")
  return query === undefined ? start : `${start}?${query.split("&").sort().join("&")}`
}

export const make = (
  { client = {}, unordered = false }: BehaviourCase,
  play: Play,
  serverKey: string | null
): Exchanges => {
  const left = [...play.steps]
  const bindings: Match.Bindings = new Map()
  const complaints: Array<string> = []
  let arrived = 0
  const prefix = client.prefix ?? ""

  /** The key goes to the service, and to no other server. */
  const checkKey = (place: Place, { headers }: RawRequest, at: string) => {
    const { authorization } = headers
    if (place === "other" && authorization !== undefined) complaints.push(`${at}: has the key`)
    if (place !== "other" && serverKey !== null && authorization !== `Key ${serverKey}`)
      complaints.push(`${at}: Authorization is ${authorization ?? "absent"}`)
    if (place !== "other" && serverKey === null && client.key === null && authorization !== undefined)
      complaints.push(`${at}: Authorization is not absent`)
  }

  const checkSubmit = ({ headers }: RawRequest, at: string) => {
    if (!/^[\x20-\x7e]{1,255}$/.test(headers["idempotency-key"] ?? ""))
      complaints.push(`${at}: no Idempotency-Key`)
    if (!headers["content-type"]?.startsWith("application/json")) complaints.push(`${at}: no JSON`)
  }

  const isOf = (place: Place, { method, path }: RawRequest, { exchange: { request } }: Step) =>
    (request.at ?? "url") === place &&
    request.method === method &&
    Match.differences(prefixed(request, prefix), sorted(path), new Map(bindings), "").length === 0

  return {
    bindings,
    complaints,
    arrived: () => arrived,
    missing: () => left.map(({ exchange: { request } }) => `did not come: ${named(request)}`),
    cutsRequest: () => {
      const fault = left[0]?.fault
      if (typeof fault !== "object" || !("cutRequest" in fault)) return null
      left.shift()
      arrived += 1
      return fault.cutRequest
    },
    react: (place, request) => {
      arrived += 1
      const at = `${request.method} ${request.path}`
      const fitting = (unordered ? left : left.slice(0, 1)).filter((step) => isOf(place, request, step))
      const step = fitting.find((each) => unlike(request, each, new Map(bindings)).length === 0) ?? fitting[0]
      if (step === undefined) {
        const next = left[0] === undefined ? "nothing" : named(left[0].exchange.request)
        complaints.push(`came: ${at} at ${place}; expected: ${next}`)
        return { bytes: unexpected.bytes }
      }
      left.splice(left.indexOf(step), 1)
      checkKey(place, request, at)
      if (isSubmit(request)) checkSubmit(request, at)
      complaints.push(...unlike(request, step, bindings))
      return reaction(step)
    }
  }
}

/** How headers and body differ from what must come. */
const unlike = (request: RawRequest, { exchange }: Step, bindings: Match.Bindings): ReadonlyArray<string> => {
  const { body, bytes, headers = {} } = exchange.request
  const at = `${request.method} ${request.path}`
  const isOther = bytes !== undefined && !request.body.equals(Upload.bytes(...bytes))
  return [
    ...Match.differences({ $has: headers }, request.headers, bindings, `${at} headers`),
    ...(body === undefined ? [] : Match.differences(body, jsonOf(request.body), bindings, `${at} body`)),
    ...(isOther ? [`${at}: other bytes than ${bytes.join(" to ")}, ${request.body.length} in all`] : [])
  ]
}

/** Presigned URLs are whole, so they do not have the prefix of the service's address. */
const prefixed = ({ at, path }: Expected, prefix: string): Expected["path"] =>
  typeof path === "string" ? sorted(at === "other" ? path : `${prefix}${path}`) : path

const jsonOf = (body: Buffer): unknown => {
  if (body.length === 0) return null
  try {
    return JSON.parse(body.toString())
  } catch {
    return body.toString()
  }
}
