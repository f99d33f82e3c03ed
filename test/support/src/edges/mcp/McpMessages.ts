/** Calls of tools as single messages over HTTP, without a client that would keep or check them. */
import { Effect } from "effect"

interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const post = (url: string, headers: Readonly<Record<string, string>>, message: object) =>
  Effect.promise(async (): Promise<Reply> => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        accept: "application/json, text/event-stream"
      },
      body: JSON.stringify(message)
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

/** The message of an answer, in an event or not. */
const messageOf = ({ text }: Reply): unknown =>
  JSON.parse(text.startsWith("{") ? text : (/^data: ?(\{.*)$/m.exec(text)?.[1] ?? "null"))

const callOf = (id: number, name: string, args: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args }
})

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" }
  }
}

interface Session {
  readonly call: (name: string, args: object) => Effect.Effect<Reply>
  /** The structured content of the result. */
  readonly tool: (name: string, args: object) => Effect.Effect<Readonly<Record<string, unknown>>>
}

/** @param access the access token. */
export const begin = Effect.fnUntraced(function* (url: string, access: string) {
  const authorization = `Bearer ${access}`
  const begun = yield* post(url, { authorization }, initialize)
  const headers = {
    authorization,
    "mcp-session-id": begun.headers.get("mcp-session-id") ?? "",
    "mcp-protocol-version": "2025-11-25"
  }
  let calls = 0
  const call: Session["call"] = (name, args) =>
    Effect.suspend(() => post(url, headers, callOf(++calls, name, args)))
  const session: Session = {
    call,
    tool: (name, args) =>
      Effect.map(call(name, args), (reply) => {
        const result = Object(Reflect.get(Object(messageOf(reply)), "result"))
        return Object(result.structuredContent)
      })
  }
  return session
})
