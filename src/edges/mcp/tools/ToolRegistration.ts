/** Registers tools so that wrong arguments are a result that the model reads (MCP 2025-11-25, "Error Handling"). */
import { Effect, Layer, Result, type Schema, SchemaIssue, SchemaParser } from "effect"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as ArgumentToolErrors from "./ArgumentToolErrors.ts"

/** A tool whose parameters need no services to decode. */
type PlainTool = Tool.Any & { readonly parametersSchema: Schema.ConstraintDecoder<unknown> }

type Tools = Readonly<Record<string, PlainTool>>
type Registration = Parameters<McpServer.McpServer["Service"]["addTool"]>[0]

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** The names of arguments that cannot be decoded. */
const faultsOf = (tool: PlainTool) => {
  const decode = SchemaParser.decodeUnknownResult(tool.parametersSchema, { errors: "all" })
  return (given: ArgumentToolErrors.Given): ReadonlySet<unknown> =>
    Result.match(decode(given), {
      onSuccess: () => new Set(),
      onFailure: (issue) => new Set(issuesOf(issue).issues.map(({ path }) => path?.[0]))
    })
}

/** Drops defaults of JSON Schema: models read lists of tools again and again. */
const shortened = (schema: McpSchema.ToolOutputJson | undefined): McpSchema.ToolOutputJson =>
  JSON.parse(
    JSON.stringify(schema ?? {}, (keyword, value) =>
      keyword === "additionalProperties" && value === true ? undefined : value
    )
  )

const refusingWrongArguments = (tool: PlainTool, registration: Registration): Registration => {
  const { handle, tool: described } = registration
  const errorAnswers = ArgumentToolErrors.make(described.name, described.inputSchema)
  const faults = faultsOf(tool)
  const refuse = (given: ArgumentToolErrors.Given) =>
    Effect.sync(
      () =>
        new McpSchema.CallToolResult({
          isError: true,
          content: [{ type: "text", text: errorAnswers.text(given, faults(given)) }]
        })
    )
  return {
    ...registration,
    tool: new McpSchema.Tool({ ...described, outputSchema: shortened(described.outputSchema) }),
    handle: (given: ArgumentToolErrors.Given = {}) =>
      // Effect would write a line for each unknown argument.
      errorAnswers.hasUnknown(given)
        ? refuse(given)
        : Effect.catchTag(handle(given), "InvalidParams", () => refuse(given))
  }
}

export const layer = <Registered extends Record<string, PlainTool>>(
  toolkit: Toolkit.Toolkit<Registered>
): Layer.Layer<never, never, McpServer.ToolkitRequirements<Registered>> => {
  const tools: Tools = toolkit.tools
  return Layer.effectDiscard(
    Effect.updateService(McpServer.registerToolkit(toolkit), McpServer.McpServer, (server) =>
      McpServer.McpServer.of({
        ...server,
        addTool: (registration) => {
          const tool = tools[registration.tool.name]
          return server.addTool(
            tool === undefined ? registration : refusingWrongArguments(tool, registration)
          )
        }
      })
    )
  )
}
