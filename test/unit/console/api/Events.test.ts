/** How a view follows a stream that breaks, with a page that has what a browser gives: `EventSource` and `fetch`. */
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"

class Source extends EventTarget {
  static readonly OPEN = 1
  static readonly CLOSED = 2
  readonly url: string
  readyState = 0

  constructor(url: string) {
    super()
    this.url = url
    sources.push(this)
  }

  opened() {
    this.readyState = Source.OPEN
    this.dispatchEvent(new Event("open"))
  }

  sends(id: string, data: unknown) {
    this.dispatchEvent(new MessageEvent("change", { lastEventId: id, data: JSON.stringify(data) }))
  }

  /** As after any answer that is no stream. */
  refused() {
    this.readyState = Source.CLOSED
    this.dispatchEvent(new Event("error"))
  }

  close() {
    this.readyState = Source.CLOSED
  }
}

const sources: Array<Source> = []
const events: Array<unknown> = []
const connections: Array<string> = []
/** What the server answers to one who asks why it was refused. */
let answer = 200

const page = Object.assign(new EventTarget(), { hidden: false, querySelector: () => null })

const hide = (hidden: boolean) => {
  page.hidden = hidden
  page.dispatchEvent(new Event("visibilitychange"))
}

// The module looks for the path of the console in its page.
vi.stubGlobal("document", page)
const { follow } = await import("#console/api/Events.ts")
const { onSessionEnded } = await import("#console/api/Client.ts")

const last = (): Source => sources.at(-1) ?? assert.fail("no stream")

const begin = () =>
  follow({
    path: "/api/live?topic=a",
    types: ["change"],
    onEvent: ({ data }) => events.push(data),
    onConnection: (connection) => connections.push(connection)
  })

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe("a stream of events", () => {
  let stop = () => {}
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    vi.stubGlobal("document", page)
    vi.stubGlobal("EventSource", Source)
    vi.stubGlobal("fetch", async () => new Response(null, { status: answer }))
    for (const list of [sources, events, connections]) list.length = 0
    answer = 200
    stop = begin()
    last().opened()
    last().sends("7", { n: 7 })
  })
  afterEach(() => {
    stop()
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it("goes on behind the last event after a refusal that passes", async () => {
    assert.strictEqual(last().url, "/console/api/live?topic=a")
    answer = 503
    last().refused()
    await pass(999)
    assert.lengthOf(sources, 1)
    await pass(1)
    assert.strictEqual(last().url, "/console/api/live?topic=a&last_event_id=7")
    // Each further refusal waits longer.
    last().refused()
    await pass(1_999)
    assert.lengthOf(sources, 2)
    await pass(1)
    last().opened()
    last().sends("8", { n: 8 })
    assert.deepStrictEqual(events, [{ n: 7 }, { n: 8 }])
    assert.deepStrictEqual([connections.at(-2), connections.at(-1)], ["connecting", "open"])
  })

  it.each([204, 403, 404])("is over after %i", async (status) => {
    answer = status
    last().refused()
    await pass(60_000)
    assert.lengthOf(sources, 1)
    assert.strictEqual(connections.at(-1), "closed")
  })

  it("tells that the session has ended", async () => {
    let ends = 0
    const forget = onSessionEnded(() => ends++)
    answer = 401
    last().refused()
    await pass(1_000)
    forget()
    assert.deepStrictEqual([ends, connections.at(-1)], [1, "closed"])
  })

  it("is given back by a page that is long out of sight, and goes on when it is seen again", async () => {
    hide(true)
    await pass(9_999)
    hide(false)
    assert.strictEqual(last().readyState, Source.OPEN)
    hide(true)
    await pass(10_000)
    assert.deepStrictEqual([sources.length, last().readyState], [1, Source.CLOSED])
    hide(false)
    assert.strictEqual(last().url, "/console/api/live?topic=a&last_event_id=7")
  })

  it("is not opened again once its view is gone", async () => {
    last().refused()
    stop()
    await pass(60_000)
    hide(true)
    hide(false)
    assert.lengthOf(sources, 1)
  })
})
