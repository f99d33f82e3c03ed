/** Plays a case of the behaviour table against a driver, and lists what the client did otherwise. */
import * as timers from "node:timers/promises"
import { type BehaviourCase, mapTexts } from "./BehaviourCase.ts"
import type { Driver, DriverClient, Played } from "./Driver.ts"
import type { FaultyServer } from "./FaultyServer.ts"
import * as Match from "./Match.ts"
import * as ScriptedExchanges from "./ScriptedExchanges.ts"
import * as Variants from "./Variants.ts"

const usualKey = "key_of-the-table:secret"
const usualNow = "2026-01-05T12:00:00.000Z"

/** `{url}`, `{queue}` and `{other}` are the addresses of the server. */
const placed = (one: BehaviourCase, server: FaultyServer): BehaviourCase => {
  const prefix = one.client?.prefix ?? ""
  const addresses: Readonly<Record<string, string>> = {
    url: `${server.origin("url")}${prefix}`,
    queue: `${server.origin(one.client?.queue === true ? "queue" : "url")}${prefix}`,
    other: server.origin("other")
  }
  const place = (text: string) =>
    text.replace(/\{(url|queue|other)\}/g, (_, name: string) => addresses[name] ?? "")
  // The same schema: only texts have changed.
  return mapTexts(one as never, place) as unknown as BehaviourCase
}

const clientOf = ({ client = {} }: BehaviourCase, server: FaultyServer): DriverClient => {
  const {
    headers,
    hooks,
    key = usualKey,
    now = usualNow,
    prefix = "",
    queue = false,
    retries,
    timeout
  } = client
  return {
    url: `${server.origin("url")}${prefix}`,
    ...(queue && { queueUrl: server.origin("queue") }),
    ...(key !== null && { key }),
    ...(retries !== undefined && { retries }),
    ...(timeout !== undefined && { timeout }),
    ...(headers !== undefined && { headers }),
    ...(hooks !== undefined && { hooks }),
    now: Date.parse(now)
  }
}

const judgePauses = (
  expected: BehaviourCase["pauses"],
  pauses: ReadonlyArray<number>
): ReadonlyArray<string> => {
  if (expected === "any") return []
  const ranges = expected ?? []
  const isSo =
    ranges.length === pauses.length &&
    ranges.every(([least, most], index) => {
      const pause = pauses[index] ?? Number.NaN
      return pause >= least - 0.1 && pause <= most + 0.1
    })
  return isSo ? [] : [`pauses: expected ${JSON.stringify(ranges)} ms, got ${JSON.stringify(pauses)}`]
}

const judgeError = (
  expected: NonNullable<BehaviourCase["gives"]["error"]>,
  { error }: Played,
  bindings: Match.Bindings
): ReadonlyArray<string> => {
  const { class: name, is = [], ...fields } = expected
  if (error === undefined) return [`expected ${name}, got none`]
  const [own, ...above] = error.classes
  return [
    ...(own === name ? [] : [`error: expected ${name}, got ${own}: ${error.message}`]),
    ...is.filter((one) => !above.includes(one)).map((one) => `error: ${own} is no ${one}`),
    ...Match.differences({ $has: fields }, error, bindings, "error")
  ]
}

const by = (field: string) => (a: unknown, b: unknown) => fieldOf(a, field) - fieldOf(b, field)
const fieldOf = (value: unknown, field: string): number =>
  typeof value === "object" && value !== null
    ? Number(Object.getOwnPropertyDescriptor(value, field)?.value)
    : 0

const judgeGives = (
  { aborted, error, items, reports, sorted, value }: BehaviourCase["gives"],
  played: Played,
  bindings: Match.Bindings
): ReadonlyArray<string> => {
  const got = played.items ?? []
  return [
    ...(error === undefined && played.error !== undefined
      ? [`got ${played.error.classes[0]}: ${played.error.message}`]
      : []),
    ...(error === undefined ? [] : judgeError(error, played, bindings)),
    ...((aborted ?? false) === (played.aborted ?? false)
      ? []
      : [`aborted: ${String(played.aborted ?? false)}`]),
    ...(value === undefined ? [] : Match.differences(value, played.value, bindings, "value")),
    ...(items === undefined
      ? []
      : Match.differences(items, sorted === undefined ? got : got.toSorted(by(sorted)), bindings, "items")),
    ...(reports === undefined ? [] : Match.differences(reports, played.reports ?? [], bindings, "reports"))
  ]
}

const until = async (patience: number, isSo: () => boolean) => {
  const end = performance.now() + patience
  while (!isSo() && performance.now() < end) await timers.setTimeout(2)
}

const playOnce = async (
  one: BehaviourCase,
  play: Variants.Play,
  driver: Driver,
  server: FaultyServer,
  patience: number
) => {
  const { call, client = {} } = one
  const key = client.key === undefined ? usualKey : typeof client.key === "string" ? client.key : null
  const script = ScriptedExchanges.make(one, play, key)
  server.follow(script)
  const { abort, ...toMake } = call
  const controller = new AbortController()
  const playing = driver.play(clientOf(one, server), { args: {}, ...toMake }, controller.signal)
  if (abort !== undefined) {
    await until(patience, () => script.arrived() >= abort)
    controller.abort()
  }
  const played = await playing
  if (script.missing().length > 0) await until(patience, () => script.missing().length === 0)
  else await timers.setImmediate()
  const complaints = [
    ...script.complaints,
    ...script.missing(),
    ...judgePauses(one.pauses, played.pauses),
    ...judgeGives(one.gives, played, script.bindings)
  ]
  return complaints.map((complaint) => (play.cut === null ? complaint : `cut at ${play.cut}: ${complaint}`))
}

/**
 * The differences of the first play that has any.
 *
 * @param patience how long the requests may take that a client makes behind its caller's back, such as a cancel, ms.
 */
export const differences = async (
  one: BehaviourCase,
  driver: Driver,
  server: FaultyServer,
  seed: number,
  patience = 2_000
): Promise<ReadonlyArray<string>> => {
  const here = placed(one, server)
  for (const play of Variants.plays(here, seed)) {
    const found = await playOnce(here, play, driver, server, patience)
    if (found.length > 0) return found
  }
  return []
}
