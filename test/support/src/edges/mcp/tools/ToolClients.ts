/** A client of tools in this process. All messages pass through the protocol's own encoding. */
import { assert } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { McpProtocol, type McpServer, McpTest } from "effect/ai"

export const protocols = [McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26] as const

type Arguments = Readonly<Record<string, unknown>>

/** @param registrations tools that need no caller. */
export const connect = Effect.fnUntraced(function* <E, R>(
  registrations: Layer.Layer<never, E, R | McpServer.McpServer>,
  protocolVersion: (typeof protocols)[number]["protocolVersion"] = "2025-11-25"
) {
  const client = yield* McpTest.makeClient(registrations, { protocols, protocolVersion })

  const call = (name: string, args: Arguments = {}) => client.callTool({ name, arguments: args })

  const textOf = (content: ReadonlyArray<{ readonly type: string; readonly text?: string }>) =>
    content.map(({ text }) => text ?? "").join("")

  return {
    client,
    call,
    /** The tool's answer in the expected form. The text must have the same. */
    answer: Effect.fnUntraced(function* <A>(name: string, args?: Arguments) {
      const { content, isError, structuredContent } = yield* call(name, args)
      assert.isFalse(isError, textOf(content))
      assert.deepStrictEqual(JSON.parse(textOf(content)), structuredContent)
      return structuredContent as A
    }),
    /** The tool's error. */
    errorAnswer: Effect.fnUntraced(function* (name: string, args?: Arguments) {
      const { content, isError } = yield* call(name, args)
      assert.isTrue(isError, textOf(content))
      return textOf(content)
    })
  }
})
