/** What a route says of itself beyond its schemas. */
import { Context } from "effect"

export type HostName = "queue" | "platform" | "media" | "mcp"

/** The public hosts that serve a group or an endpoint (decisions, "Four hosts"). None named: every host. */
export const ServedOn = Context.Reference<ReadonlyArray<HostName>>("inferlog/src/http/ServedOn", {
  defaultValue: () => []
})

/** Whether HEAD is answered like GET. Not where GET changes something. */
export const AnswersHead = Context.Reference<boolean>("inferlog/src/http/AnswersHead", {
  defaultValue: () => true
})
