/**
 * The protocol itself, to those who have looked at a message before: who calls, whose session it is and how long an answer
 * may take is decided by them (`http/routes/mcp`).
 */
import { Context, type Effect, type Layer } from "effect"
import type * as McpServer from "effect/ai/McpServer"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { ToolCaller } from "./ToolCaller.ts"

export const sessionHeader = "mcp-session-id"
export const versionHeader = "mcp-protocol-version"
/** Of the protocol, the newest first. */
export const versions: ReadonlyArray<string> = ["2025-11-25", "2025-06-18", "2025-03-26"]

/** What tools are registered with; whatever else they need has been provided to them. */
export type Registrations<E, R> = Layer.Layer<never, E, R>

/** What registrations may leave open: the server they are registered with, and who calls. */
export type Open = McpServer.McpServer | McpServer.McpRequest<"Requires", ToolCaller>

/** What there is to call and to read. */
export interface Offered {
  /** Names. */
  readonly tools: ReadonlySet<string>
  readonly hasPrompts: boolean
  readonly hasResources: boolean
}

export interface Message {
  /** JSON text in UTF-8 that has been looked at: an object or a batch. */
  readonly body: Uint8Array
  /** As the server named it; `null` for the message that opens one. */
  readonly session: string | null
  readonly caller: Caller
}

/** Told the answer as soon as there is one. What it streams is there for as long as the effect runs. */
export type Tell = (response: HttpServerResponse.HttpServerResponse) => Effect.Effect<void>

export class McpEndpoint extends Context.Service<
  McpEndpoint,
  {
    /**
     * Has the message answered. Interrupting it interrupts the tools that it runs; `tell` then gets an error status.
     * It ends when the answer has been told whole.
     */
    post(message: Message, tell: Tell): Effect.Effect<void>
    readonly offered: Effect.Effect<Offered>
    /** Forgets the session, and interrupts whatever runs in it. */
    terminate(session: string): Effect.Effect<void>
  }
>()("inferlog/src/edges/mcp/McpEndpoint") {}
