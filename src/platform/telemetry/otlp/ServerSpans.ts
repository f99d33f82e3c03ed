/** Spans as they may leave the process: sampled, and without what names a client or opens a file. */
import { Exit, Option, Tracer } from "effect"

/**
 * The route says which path it was; a path may hold the only credential of a file, a query the address of a webhook.
 * `parameters` are the arguments of a tool, which effect puts on the span of its call.
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

/** @param share of the traces that begin here, 0 to 1. */
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
  // The failure of an answer names the path.
  span.end = (endTime, exit) =>
    end(endTime, Exit.isFailure(exit) && !Exit.hasInterrupts(exit) ? Exit.fail(serverFailed) : exit)
  return span
}
