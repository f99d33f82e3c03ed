/** The protocol, for callers that have checked a message: they know its caller, session and duration (`routes`). */
import { Context, type Effect, type Layer } from "effect"
import type * as McpServer from "effect/ai/McpServer"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { ToolCaller } from "./ToolCaller.ts"

export const sessionHeader = "mcp-session-id"
export const versionHeader = "mcp-protocol-version"
/** Versions of the protocol, the newest first. */
export const versions: ReadonlyArray<string> = ["2025-11-25", "2025-06-18", "2025-03-26"]

/** Registers tools. All other dependencies have been provided. */
export type Registrations<E, R> = Layer.Layer<never, E, R>

/** Dependencies that registrations leave open: the MCP server, and the caller. */
export type Open = McpServer.McpServer | McpServer.McpRequest<"Requires", ToolCaller>

/** The tools, prompts and resources that exist. */
export interface Offered {
  /** Names. */
  readonly tools: ReadonlySet<string>
  readonly hasPrompts: boolean
  readonly hasResources: boolean
}

export interface Message {
  /** Checked JSON text in UTF-8: an object or a batch. */
  readonly body: Uint8Array
  /** The server's name of the session; `null` for the message that opens one. */
  readonly session: string | null
  readonly caller: Caller
}

/** Receives the answer as soon as there is one. Its stream exists for as long as the effect runs. */
export type Tell = (response: HttpServerResponse.HttpServerResponse) => Effect.Effect<void>

export class McpEndpoint extends Context.Service<
  McpEndpoint,
  {
    /** Executes the message. Interruption also interrupts its tools; `tell` then gets an error status. */
    post(message: Message, tell: Tell): Effect.Effect<void>
    readonly offered: Effect.Effect<Offered>
    /** Removes the session and interrupts its calls. */
    terminate(session: string): Effect.Effect<void>
  }
>()("inferlog/src/edges/mcp/McpEndpoint") {}
