/**
 * Messages for a language model about wrong arguments of a call: which, what each must be, and what to do next. They
 * repeat no value, and unknown names only as the beginnings of the first few.
 */
import { Schema } from "effect"
import * as Excerpt from "./Excerpt.ts"

/** The part of JSON Schema that describes arguments. */
const Argument = Schema.Struct({
  type: Schema.Literals(["string", "integer", "number", "boolean", "object", "array"]),
  enum: Schema.optionalKey(Schema.Array(Schema.String)),
  minimum: Schema.optionalKey(Schema.Finite),
  maximum: Schema.optionalKey(Schema.Finite),
  minLength: Schema.optionalKey(Schema.Finite),
  maxLength: Schema.optionalKey(Schema.Finite),
  additionalProperties: Schema.optionalKey(Schema.Struct({ type: Schema.Literal("string") }))
})
type Argument = typeof Argument.Type

/** An input schema. The tool accepts no other arguments. */
const InputSchema = Schema.Struct({ properties: Schema.optionalKey(Schema.Record(Schema.String, Argument)) })

const decodeInputSchema = Schema.decodeUnknownSync(InputSchema)

/** The most unknown names that are shown, and characters of each. */
const mostNames = 5
const longestName = 64

/** JSON's types in the words of the refusal. */
const kinds = {
  string: "text",
  integer: "a number",
  number: "a number",
  boolean: "a boolean",
  object: "an object",
  array: "a list"
} as const

const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return kinds.array
  switch (typeof value) {
    case "string":
      return kinds.string
    case "number":
      return kinds.number
    case "boolean":
      return kinds.boolean
    default:
      return kinds.object
  }
}

const listed = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`

const range = (from: string, least: number | undefined, most: number | undefined): string => {
  if (least === undefined) return `at most ${most}`
  return most === undefined ? `at least ${least}` : `${from}${least} to ${most}`
}

const text = ({ maxLength, minLength }: Argument): string =>
  minLength === undefined && maxLength === undefined
    ? kinds.string
    : `text of ${range("", minLength, maxLength)} characters`

const number = (what: string, { maximum, minimum }: Argument): string =>
  minimum === undefined && maximum === undefined ? what : `${what} ${range("from ", minimum, maximum)}`

/** Everything that the argument must be, not only what is wrong. */
const expected = (argument: Argument): string => {
  if (argument.enum !== undefined) return `one of ${listed(argument.enum)}`
  switch (argument.type) {
    case "string":
      return text(argument)
    case "integer":
      return number("a whole number", argument)
    case "number":
      return number(kinds.number, argument)
    case "boolean":
      return "true or false"
    case "object":
      return argument.additionalProperties === undefined ? kinds.object : "an object whose values are text"
    case "array":
      return kinds.array
  }
}

const wrong = (name: string, argument: Argument, value: unknown): string => {
  const sentence = `\`${name}\` must be ${expected(argument)}`
  const kind = kindOf(value)
  if (kind === kinds[argument.type]) return `${sentence}.`
  const isJsonText = kind === kinds.string && (argument.type === "object" || argument.type === "array")
  return `${sentence}, not ${kind}${isJsonText ? ": pass JSON, not a string that contains it" : ""}.`
}

const shown = (name: string): string => `\`${Excerpt.of(name.replace(/[`\p{Cc}]/gu, " "), longestName)}\``

export type Given = Readonly<Record<string, unknown>>

/** @param inputSchema the tool's schema that clients receive. */
export const make = (tool: string, inputSchema: unknown) => {
  const { properties = {} } = decodeInputSchema(inputSchema)
  const names = Object.keys(properties)
  const isUnknown = (name: string) => !Object.hasOwn(properties, name)
  const takes = names.length === 0 ? "it takes none" : `it takes ${listed(names)}`

  const ofUnknown = (unknown: ReadonlyArray<string>): ReadonlyArray<string> => {
    if (unknown.length === 0) return []
    const more = unknown.length - mostNames
    const named = [...unknown.slice(0, mostNames).map(shown), ...(more > 0 ? [`${more} more`] : [])]
    const are = unknown.length === 1 ? "is no argument" : "are no arguments"
    return [`${listed(named)} ${are} of ${tool}; ${takes}.`]
  }

  return {
    /** Whether there are arguments that the tool does not have. */
    hasUnknown: (given: Given) => Object.keys(given).some(isUnknown),
    /** @param faulty the tool's arguments that are wrong or missing. */
    text: (given: Given, faulty: ReadonlySet<unknown>) =>
      [
        ...ofUnknown(Object.keys(given).filter(isUnknown)),
        ...Object.entries(properties)
          .filter(([name]) => faulty.has(name))
          .map(([name, argument]) =>
            Object.hasOwn(given, name) ? wrong(name, argument, given[name]) : `\`${name}\` is missing.`
          ),
        "Correct it and call again."
      ].join("\n")
  }
}
