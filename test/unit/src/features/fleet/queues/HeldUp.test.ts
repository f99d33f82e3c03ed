import { assert, describe, it } from "@effect/vitest"
import * as HeldUp from "#src/features/fleet/queues/HeldUp.ts"

const now = 1_000_000

const well: HeldUp.SeenProvider = {
  circuit: "Closed",
  heldSince: null,
  nextTryAt: null,
  pausedUntil: null,
  unreachable: null,
  hasCredential: true,
  lastError: null
}

const open: HeldUp.SeenProvider = {
  ...well,
  circuit: "Open",
  heldSince: now - 60_000,
  nextTryAt: now + 5_000,
  lastError: "transport_error: reset"
}

const gpu: HeldUp.ProviderFacts = {
  name: "gpu",
  isForWorkers: false,
  concurrency: null,
  runs: 0,
  nodes: [well]
}

const pull: HeldUp.ProviderFacts = { ...gpu, name: "pool", isForWorkers: true, nodes: [null] }

const ready: HeldUp.NodeFacts = { isReady: true, unwell: [] }

const waiting: HeldUp.ModelFacts = {
  queued: 3,
  running: 0,
  firstDueAt: now - 10_000,
  concurrency: 8,
  providers: [gpu],
  hasWorker: true,
  idleWorkers: 0
}

const causesOf = (model: Partial<HeldUp.ModelFacts>, nodes: ReadonlyArray<HeldUp.NodeFacts> = [ready]) =>
  HeldUp.ofQueue({ ...waiting, ...model }, nodes, now).map(({ cause, provider }) =>
    provider === null ? cause : `${cause} ${provider}`
  )

const at = (...nodes: HeldUp.ProviderFacts["nodes"]) => ({ providers: [{ ...gpu, nodes }] })

describe("Why a queue waits", () => {
  it("has no reason while nothing waits, or while what waits is being dispatched", () => {
    assert.deepStrictEqual(causesOf({ queued: 0, ...at(open) }), [])
    assert.deepStrictEqual(causesOf({ firstDueAt: now - 500 }), [])
  })

  it("names the provider whose circuit is open, since when, the next try and its last error", () => {
    assert.deepStrictEqual(HeldUp.ofQueue({ ...waiting, ...at(open) }, [ready], now), [
      {
        cause: "circuit_open",
        provider: "gpu",
        since: now - 60_000,
        until: now + 5_000,
        detail: "transport_error: reset"
      }
    ])
  })

  it.each([
    ["credential_missing", { hasCredential: false, unreachable: "dns_error" }],
    ["provider_unreachable", { unreachable: "dns_error", circuit: "Open" }],
    ["circuit_trial", { circuit: "HalfOpen", nextTryAt: now + 1_000 }],
    ["provider_paused", { pausedUntil: now + 30_000, nextTryAt: now + 30_000 }]
  ] as const)("finds %s", (cause, seen) => {
    assert.deepStrictEqual(causesOf(at({ ...well, ...seen })), [`${cause} gpu`])
  })

  it("lets a provider that takes a trial run, or whose pause is over, explain nothing", () => {
    assert.deepStrictEqual(causesOf(at({ ...well, circuit: "HalfOpen" })), ["unexplained"])
    assert.deepStrictEqual(causesOf(at({ ...well, pausedUntil: now })), ["unexplained"])
  })

  it("counts a provider as held only if every live node holds it", () => {
    assert.deepStrictEqual(causesOf(at(open, well)), ["unexplained"])
    assert.deepStrictEqual(causesOf(at(open, null)), ["unexplained"])
    const later = { ...open, heldSince: now - 90_000, nextTryAt: now + 9_000 }
    const [reason] = HeldUp.ofQueue({ ...waiting, ...at(open, later) }, [ready], now)
    assert.deepInclude(reason, { since: now - 90_000, until: now + 5_000 })
  })

  it("names every provider of a model that none can run, and none if one can", () => {
    const away = { ...gpu, name: "spare", nodes: [{ ...well, unreachable: "connection_refused" }] }
    const held = { ...gpu, nodes: [open] }
    assert.deepStrictEqual(causesOf({ providers: [held, away] }), [
      "circuit_open gpu",
      "provider_unreachable spare"
    ])
    assert.deepStrictEqual(causesOf({ providers: [held, { ...away, nodes: [well] }], firstDueAt: now }), [])
  })

  it("tells absent workers from busy ones", () => {
    const providers = [pull]
    assert.deepStrictEqual(causesOf({ providers, hasWorker: false }), ["no_worker pool"])
    assert.deepStrictEqual(causesOf({ providers, running: 2 }), ["workers_busy pool"])
    assert.deepStrictEqual(causesOf({ providers, idleWorkers: 1, firstDueAt: now }), [])
  })

  it("names a limit that is reached, of the model or of the provider", () => {
    assert.deepStrictEqual(causesOf({ running: 8 }), ["model_limit"])
    const full = { ...gpu, concurrency: 4, runs: 4 }
    assert.deepStrictEqual(causesOf({ running: 4, providers: [full] }), ["provider_limit gpu"])
    assert.deepStrictEqual(causesOf({ running: 8, providers: [full] }), ["model_limit", "provider_limit gpu"])
    // The open circuit is what somebody should see to.
    assert.deepStrictEqual(causesOf({ running: 8, ...at(open) }), ["circuit_open gpu", "model_limit"])
  })

  it("tells requests that are not due yet from those that are stuck", () => {
    assert.deepStrictEqual(causesOf({ firstDueAt: now + 20_000 }), ["retry_later"])
    assert.deepStrictEqual(causesOf({ firstDueAt: now - 20_000 }), ["unexplained"])
  })

  it("puts nodes first: with none that is ready, or with queues that stand still, nothing else matters", () => {
    const stopped = { isReady: true, unwell: [{ code: "queue_stopped", since: now - 7_000 }] }
    assert.deepStrictEqual(causesOf(at(open), []), ["no_node"])
    assert.deepStrictEqual(causesOf(at(open), [{ isReady: false, unwell: [] }]), ["no_node"])
    assert.deepStrictEqual(HeldUp.ofQueue(waiting, [stopped], now), [
      { cause: "node_unwell", provider: null, since: now - 7_000, until: null, detail: "queue_stopped" }
    ])
    assert.deepStrictEqual(causesOf({}, [stopped, ready]), ["unexplained"])
    // A node that is late still runs requests.
    const late = { isReady: true, unwell: [{ code: "queue_behind", since: now }] }
    assert.deepStrictEqual(causesOf({ running: 8 }, [late]), ["model_limit"])
  })
})
