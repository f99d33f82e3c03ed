/**
 * Firefox by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/), as the browser comes: Playwright drives only its own builds of it, or
 * releases newer than Debian's.
 */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as readline from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import { Effect, Schema, type Scope } from "effect"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { decode } from "./Calls.ts"

const executable = ["/usr/bin/firefox-esr", "/usr/bin/firefox"].find((file) => fs.existsSync(file))

export const isMissing = executable === undefined

/** The name of a test that needs Firefox. A skipped test's name says why. */
export const named = (name: string): string =>
  isMissing ? `${name} (needs Firefox: apt-get install firefox-esr)` : name

/** What a person sees: the role of an element and its accessible name. A field for a password has no role, so a selector finds it. */
type Seen = { readonly role: string; readonly name: string } | string

export interface Firefox {
  readonly goto: (url: string) => Promise<void>
  readonly press: (seen: Seen) => Promise<void>
  /** Clicks the field and types instead of what it has. */
  readonly fill: (seen: Seen, text: string) => Promise<void>
  /** Waits for the element. */
  readonly see: (seen: Seen) => Promise<void>
  /** The text of the page once it contains `part`. */
  readonly read: (part: string) => Promise<string>
  /** The size of a picture once it is loaded, as `128 × 64` pixels. */
  readonly sizeOf: (selector: string) => Promise<string>
  /** Errors and warnings on the console so far. */
  readonly problems: () => ReadonlyArray<string>
}

const Opened = decode(Schema.Struct({ context: Schema.String }))
const Located = decode(Schema.Struct({ nodes: Schema.Array(Schema.Struct({ sharedId: Schema.String })) }))
const Text = decode(Schema.Struct({ result: Schema.Struct({ value: Schema.String }) }))
const Entry = Schema.Struct({ level: Schema.String, text: Schema.NullOr(Schema.String) })
const Message = decode(
  Schema.Struct({
    id: Schema.optionalKey(Schema.NullOr(Schema.Number)),
    result: Schema.optionalKey(Schema.Unknown),
    error: Schema.optionalKey(Schema.String),
    message: Schema.optionalKey(Schema.String),
    method: Schema.optionalKey(Schema.String),
    params: Schema.optionalKey(Schema.Unknown)
  })
)

/** Of a profile that asks nothing and calls nobody. */
const preferences = {
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "app.update.enabled": false,
  "remote.active-protocols": 1
}

const launch = (
  profile: string
): Promise<{ readonly child: childProcess.ChildProcess; readonly url: string }> => {
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${value});`)
  fs.writeFileSync(path.join(profile, "user.js"), `${lines.join("\n")}\n`)
  const args = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"]
  const child = childProcess.spawn(executable ?? "firefox", args, {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true
  })
  return new Promise((resolve, reject) => {
    readline.createInterface({ input: child.stderr }).on("line", (line) => {
      const [, url] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? []
      if (url !== undefined) resolve({ child, url })
    })
    child.once("exit", (code) => reject(new Error(`Firefox ended with ${code}`)))
  })
}

type Send = (method: string, params: object) => Promise<unknown>

const connect = async (url: string, onEvent: (method: string, params: unknown) => void): Promise<Send> => {
  const socket = new WebSocket(`${url}/session`)
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve())
    socket.addEventListener("error", () => reject(new Error(`No connection to ${url}`)))
  })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  socket.addEventListener("message", ({ data }) => {
    const { error, id, message, method, params, result } = Message(JSON.parse(String(data)))
    if (method !== undefined) return onEvent(method, params)
    const waiter = waiting.get(id ?? -1)
    waiting.delete(id ?? -1)
    if (error === undefined) waiter?.resolve(result)
    else waiter?.reject(new Error(`${error}: ${message}`))
  })
  let id = 0
  return (method, params) => {
    const waiter = Promise.withResolvers<unknown>()
    waiting.set(++id, waiter)
    socket.send(JSON.stringify({ id, method, params }))
    return waiter.promise
  }
}

/** How long an element may take to appear, ms. */
const longestWait = 60_000

const retried = async <A>(what: string, ask: () => Promise<A | null>): Promise<A> => {
  const began = performance.now()
  for (;;) {
    const found = await ask()
    if (found !== null) return found
    if (performance.now() - began > longestWait) throw new Error(`Firefox does not show ${what}`)
    await delay(50)
  }
}

const down = (value: string) => ({ type: "keyDown", value })
const up = (value: string) => ({ type: "keyUp", value })

/** As WebDriver writes it (https://www.w3.org/TR/webdriver2/#keyboard-actions). */
const control = "\u{E009}"

const pageOf = (send: Send, context: string, problems: ReadonlyArray<string>): Firefox => {
  const find = (seen: Seen) =>
    retried(JSON.stringify(seen), async () => {
      const locator = { type: typeof seen === "string" ? "css" : "accessibility", value: seen }
      const { nodes } = Located(await send("browsingContext.locateNodes", { context, locator }))
      return nodes[0] ?? null
    })
  const press = async (seen: Seen) => {
    const { sharedId } = await find(seen)
    const origin = { type: "element", element: { sharedId } }
    const actions = [
      { type: "pointerMove", x: 0, y: 0, origin },
      { type: "pointerDown", button: 0 },
      { type: "pointerUp", button: 0 }
    ]
    await scrolledTo(sharedId)
    await send("input.performActions", { context, actions: [{ type: "pointer", id: "mouse", actions }] })
  }
  const scrolledTo = (sharedId: string) =>
    send("script.callFunction", {
      functionDeclaration: "(element) => element.scrollIntoView({ block: 'center' })",
      arguments: [{ sharedId }],
      target: { context },
      awaitPromise: false
    })
  const evaluate = async (expression: string) =>
    Text(await send("script.evaluate", { expression, target: { context }, awaitPromise: false })).result.value
  return {
    problems: () => problems,
    press,
    goto: async (url) => void (await send("browsingContext.navigate", { context, url, wait: "complete" })),
    see: async (seen) => void (await find(seen)),
    fill: async (seen, text) => {
      await press(seen)
      const typed = [...text].flatMap((value) => [down(value), up(value)])
      const actions = [down(control), down("a"), up("a"), up(control), ...typed]
      await send("input.performActions", { context, actions: [{ type: "key", id: "keyboard", actions }] })
    },
    read: (part) =>
      retried(part, async () => {
        const value = await evaluate("document.body.innerText")
        return value.includes(part) ? value : null
      }),
    sizeOf: (selector) =>
      retried(selector, async () => {
        const picture = `document.querySelector(${JSON.stringify(selector)})`
        const value = await evaluate(
          `\`\${${picture}?.naturalWidth ?? 0} × \${${picture}?.naturalHeight ?? 0}\``
        )
        return value.startsWith("0 ") ? null : value
      })
  }
}

/** A window of a new profile. It ends with the scope. */
export const open = Effect.fnUntraced(function* (): Effect.fn.Return<Firefox, never, Scope.Scope> {
  const profile = yield* TempDirectory.make
  const { url } = yield* Effect.acquireRelease(
    Effect.promise(() => launch(profile)),
    ({ child }) =>
      Effect.promise(async () => {
        const ended = new Promise((resolve) => child.once("exit", resolve))
        // The command is a script in Debian: its group has the browser and its processes.
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
        await ended
      })
  )
  return yield* Effect.promise(async () => {
    const problems: Array<string> = []
    const send = await connect(url, (method, params) => {
      if (method !== "log.entryAdded") return
      const { level, text } = Schema.decodeUnknownSync(Entry)(params)
      if (level === "error" || level === "warn") problems.push(text ?? "")
    })
    await send("session.new", { capabilities: {} })
    await send("session.subscribe", { events: ["log.entryAdded"] })
    const { context } = Opened(await send("browsingContext.create", { type: "tab" }))
    await send("browsingContext.setViewport", { context, viewport: { width: 1280, height: 800 } })
    return pageOf(send, context, problems)
  })
})
