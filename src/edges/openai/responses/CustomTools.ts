/**
 * Tools of type `custom` take a text (https://platform.openai.com/docs/guides/function-calling#custom-tools). A chat has only
 * functions, so such a tool is a function of one text.
 */
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"

const member = "input"

const parameters: JsonObject = {
  type: "object",
  properties: { [member]: { type: "string" } },
  required: [member],
  additionalProperties: false
}

/** A chat cannot enforce a grammar, so the model is told it. */
const grammarOf = (format: Json | undefined): string => {
  const { definition, syntax } = isObject(format) ? format : {}
  if (typeof definition !== "string") return ""
  return `The input matches this ${typeof syntax === "string" ? `${syntax} ` : ""}grammar:\n${definition}`
}

/** The function of a chat. */
export const functionOf = ({ description, format, name }: JsonObject): JsonObject => {
  const told = [typeof description === "string" ? description : "", grammarOf(format)].filter(
    (text) => text !== ""
  )
  return { name: name ?? "", ...(told.length > 0 && { description: told.join("\n\n") }), parameters }
}

/** The arguments of a call with this text. */
export const argumentsOf = (text: string): string => JSON.stringify({ [member]: text })

const parsed = (given: string): Json => {
  try {
    return JSON.parse(given) as Json
  } catch {
    return null
  }
}

/** The text in the arguments of a call; the arguments themselves if the model did not keep to the schema. */
export const textOf = (given: string): string => {
  const value = parsed(given)
  const text = isObject(value) ? value[member] : value
  return typeof text === "string" ? text : given
}

/** Names of the tools of a call that take a text. */
export const namesIn = ({ tools }: JsonObject): ReadonlySet<string> =>
  new Set(
    (isList(tools) ? tools : []).flatMap((tool) =>
      isObject(tool) && tool["type"] === "custom" && typeof tool["name"] === "string" ? [tool["name"]] : []
    )
  )
