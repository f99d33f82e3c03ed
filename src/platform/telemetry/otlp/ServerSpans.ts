/** Prepares spans for export: sampled, and without data that identifies a client or grants access to a file. */
import { Exit, Option, Tracer } from "effect"

/**
 * The route identifies the endpoint. A path may contain a file's only credential, and a query a webhook's address.
 * Effect puts a tool's arguments into `parameters`.
 */
const withheld: ReadonlySet<string> = new Set([
  "parameters",
  "url.full",
  "url.path",
  "url.query",
  "client.address",
  "user_agent.original"
])

const serverFailed = new Error("The server failed")
delete serverFailed.stack

/** @param share the sampled share of the traces that begin here, 0 to 1. */
export const make = (tracer: Tracer.Tracer, share: number): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const isChosen = Option.isSome(options.parent) || share >= 1 || Math.random() < share
      const span = tracer.span({ ...options, sampled: options.sampled && isChosen })
      return options.kind === "server" ? discreet(span) : span
    }
  })

const discreet = (span: Tracer.Span): Tracer.Span => {
  const attribute = span.attribute.bind(span)
  const end = span.end.bind(span)
  span.attribute = (key, value) => {
    if (!withheld.has(key)) attribute(key, value)
  }
  // The failure of an answer contains the path.
  span.end = (endTime, exit) =>
    end(endTime, Exit.isFailure(exit) && !Exit.hasInterrupts(exit) ? Exit.fail(serverFailed) : exit)
  return span
}
