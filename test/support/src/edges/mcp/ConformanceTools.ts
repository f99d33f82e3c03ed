/**
 * The tools, resources and prompts with fixed names that the conformance suite needs. The product does not use them.
 * Registered beside the product's own tools, they let the suite test everything that the protocol supports.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
const silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

const textOf = (text: string) => ({ type: "text", text })
const image = { type: "image", data: pixel, mimeType: "image/png" }
const audio = { type: "audio", data: silence, mimeType: "audio/wav" }
const embedded = (uri: string, mimeType: string, text: string) => ({
  type: "resource",
  resource: { uri, mimeType, text }
})

const resultOf = Schema.decodeUnknownSync(McpSchema.CallToolResult)
const promptOf = Schema.decodeUnknownSync(Schema.Array(McpSchema.PromptMessage))
const contentsOf = Schema.decodeUnknownSync(McpSchema.ReadResourceResult)
const elicitationOf = Schema.decodeUnknownSync(McpSchema.ElicitRequestFormParams)

/** Tools without arguments and with a fixed answer. */
const answers: Readonly<Record<string, unknown>> = {
  test_simple_text: { content: [textOf("This is a simple text response for testing.")] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [audio] },
  test_embedded_resource: {
    content: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
  },
  test_multiple_content_types: {
    content: [
      textOf("Multiple content types test:"),
      image,
      embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)
    ]
  },
  test_error_handling: {
    isError: true,
    content: [textOf("This tool intentionally returns an error for testing")]
  },
  test_reconnection: { content: [textOf("Answered without a reconnection")] }
}

const titled = (name: string) => [
  { const: "value1", title: `First ${name}` },
  { const: "value2", title: `Second ${name}` }
]

/** The forms of the tools that ask the user, by tool: properties of a form. */
const forms: Readonly<Record<string, unknown>> = {
  test_elicitation: {
    username: { type: "string", description: "User's response" },
    email: { type: "string", description: "User's email address" }
  },
  test_elicitation_sep1034_defaults: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true }
  },
  test_elicitation_sep1330_enums: {
    untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
    titledSingle: { type: "string", oneOf: titled("Option") },
    legacyEnum: { type: "string", enum: ["opt1", "opt2"], enumNames: ["Option One", "Option Two"] },
    untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
    titledMulti: { type: "array", items: { anyOf: titled("Choice") } }
  }
}

const anyObject: McpSchema.ToolJson = { type: "object" }

/** JSON Schema of a revision that an endpoint must forward unchanged. */
const schema2020: McpSchema.ToolJson = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: { address: { type: "object", properties: { street: { type: "string" } } } },
  properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
  additionalProperties: false
}

const addTool = Effect.fnUntraced(function* (
  name: string,
  run: Effect.Effect<unknown, McpSchema.InternalError, McpSchema.McpRequestContext>,
  inputSchema = anyObject
) {
  const server = yield* McpServer.McpServer
  yield* server.addTool({
    tool: new McpSchema.Tool({ name, description: `The suite's ${name}.`, inputSchema }),
    annotations: Context.empty(),
    handle: () => Effect.map(run, (result) => resultOf(result))
  })
})

const said = (what: unknown) => ({ content: [textOf(JSON.stringify(what))] })

/** The client's answer to a question of the server during a call. */
const asked = <A, E>(ask: (client: McpSchema.McpReverseClient) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const caller = yield* Effect.serviceOption(McpSchema.McpServerClient)
    const client = yield* Option.getOrThrow(caller).getClient
    return said(yield* ask(client))
  }).pipe(
    Effect.scoped,
    Effect.mapError((cause) => new McpSchema.InternalError({ message: String(cause) }))
  )

const talkingTools = Effect.gen(function* () {
  const { notifications } = yield* McpServer.McpServer
  yield* addTool(
    "test_tool_with_logging",
    Effect.gen(function* () {
      for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        yield* Effect.ignore(notifications["notifications/message"]({ level: "info", data }))
      }
      return said("logged")
    })
  )
  yield* addTool(
    "test_tool_with_progress",
    Effect.gen(function* () {
      const { requestMetadata } = yield* McpSchema.McpRequestContext
      const token = requestMetadata?.["progressToken"]
      for (const progress of [0, 50, 100]) {
        if (typeof token !== "string" && typeof token !== "number") break
        const notification = { progressToken: token, progress, total: 100 }
        yield* Effect.ignore(notifications["notifications/progress"](notification))
      }
      return said("done")
    })
  )
  yield* addTool(
    "test_sampling",
    asked((client) =>
      client.createMessage({
        messages: [{ role: "user", content: { type: "text", text: "Test prompt for sampling" } }],
        maxTokens: 100
      })
    )
  )
  for (const [name, properties] of Object.entries(forms)) {
    const request = elicitationOf({
      mode: "form",
      message: "What is it?",
      requestedSchema: { type: "object", properties }
    })
    yield* addTool(
      name,
      asked((client) => client.elicit(request))
    )
  }
})

const tools = Layer.effectDiscard(
  Effect.gen(function* () {
    for (const [name, answer] of Object.entries(answers)) yield* addTool(name, Effect.succeed(answer))
    yield* addTool("json_schema_2020_12_tool", Effect.succeed(said("ok")), schema2020)
    yield* talkingTools
  })
)

const resources = Layer.mergeAll(
  McpServer.resource({
    uri: "test://static-text",
    name: "static-text",
    description: "The suite's text",
    mimeType: "text/plain",
    content: Effect.succeed(
      contentsOf({
        contents: [
          {
            uri: "test://static-text",
            mimeType: "text/plain",
            text: "This is the content of the static text resource."
          }
        ]
      })
    )
  }),
  McpServer.resource({
    uri: "test://static-binary",
    name: "static-binary",
    description: "The suite's picture",
    mimeType: "image/png",
    content: Effect.succeed(
      contentsOf({ contents: [{ uri: "test://static-binary", mimeType: "image/png", blob: pixel }] })
    )
  }),
  McpServer.resource`test://template/${Schema.String}/data`({
    name: "template",
    description: "The suite's template",
    mimeType: "application/json",
    content: (uri, id) =>
      Effect.succeed(
        contentsOf({ contents: [{ uri, mimeType: "application/json", text: JSON.stringify({ id }) }] })
      )
  })
)

const prompts = Layer.mergeAll(
  McpServer.prompt({
    name: "test_simple_prompt",
    description: "The suite's prompt",
    content: () => Effect.succeed("This is a simple prompt for testing.")
  }),
  McpServer.prompt({
    name: "test_prompt_with_arguments",
    description: "The suite's prompt with arguments",
    parameters: { arg1: Schema.String, arg2: Schema.String },
    completion: { arg1: () => Effect.succeed(["test value"]) },
    content: ({ arg1, arg2 }) => Effect.succeed(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)
  }),
  McpServer.prompt({
    name: "test_prompt_with_embedded_resource",
    description: "The suite's prompt with a resource",
    parameters: { resourceUri: Schema.String },
    content: ({ resourceUri }) =>
      Effect.succeed([
        ...promptOf([{ role: "user", content: embedded(resourceUri, "text/plain", "Embedded.") }])
      ])
  }),
  McpServer.prompt({
    name: "test_prompt_with_image",
    description: "The suite's prompt with a picture",
    content: () => Effect.succeed([...promptOf([{ role: "user", content: image }])])
  })
)

/** Registered beside the product's tools. */
export const layer = Layer.mergeAll(tools, resources, prompts)
