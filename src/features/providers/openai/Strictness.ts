/**
 * Servers that refuse a member which others expect, and how the same is said to them. What the binding's options leave open is learned
 * from a refusal that names the member: only what can be said in another way, or what the adapter adds by itself, is changed.
 */
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"
import type { Options } from "./Options.ts"

export type Strictness = Pick<Options, "streamUsage" | "tokenLimit" | "oneSystemMessage" | "developerRole">

const limits = ["max_completion_tokens", "max_tokens"] as const

const messagesIn = (body: JsonObject): ReadonlyArray<Json> => {
  const messages = JsonText.member(body, "messages")
  return isList(messages) ? JsonText.items(messages) : []
}

const hasRole = (role: string) => (message: Json) => isObject(message) && message["role"] === role

const isInstruction = (message: Json): message is JsonObject =>
  hasRole("system")(message) || hasRole("developer")(message)

const withLimit = (body: JsonObject, name: (typeof limits)[number]): JsonObject => {
  const other = limits.find((limit) => limit !== name) ?? name
  const limit = body[other]
  if (limit === undefined) return body
  return JsonText.edit(body, { omit: [other], set: Object.hasOwn(body, name) ? {} : { [name]: limit } })
}

const partsOf = (content: Json | undefined): ReadonlyArray<Json> =>
  isList(content) ? content : [{ type: "text", text: content ?? "" }]

/** Texts are paragraphs of one text; of other contents all parts are kept. */
const joined = (messages: ReadonlyArray<JsonObject>): Json => {
  const contents = messages.map(({ content }) => content ?? "")
  return contents.every((content) => typeof content === "string")
    ? contents.filter((text) => text !== "").join("\n\n")
    : contents.flatMap(partsOf)
}

const withOneSystemMessage = (messages: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const instructions = messages.filter(isInstruction)
  if (instructions.length === 0) return messages
  const [only = {}, ...others] = instructions
  const system =
    others.length === 0
      ? JsonText.edit(only, { set: { role: "system" } })
      : { role: "system", content: joined(instructions) }
  return [system, ...messages.filter((message) => !isInstruction(message))]
}

const asSystem = (message: Json): Json =>
  isObject(message) && message["role"] === "developer"
    ? JsonText.edit(message, { set: { role: "system" } })
    : message

/** The body as a server of this strictness takes it. Its usage is asked for elsewhere. */
export const body = (
  given: JsonObject,
  { developerRole, oneSystemMessage, tokenLimit }: Strictness
): JsonObject => {
  const limited = tokenLimit === undefined ? given : withLimit(given, tokenLimit)
  const messages = messagesIn(limited)
  if (messages.length === 0) return limited
  if (oneSystemMessage === true)
    return JsonText.edit(limited, { set: { messages: withOneSystemMessage(messages) } })
  return developerRole === "system" && messages.some(hasRole("developer"))
    ? JsonText.edit(limited, { set: { messages: messages.map(asSystem) } })
    : limited
}

/** Template errors of some servers are 500. */
const statuses: ReadonlySet<number> = new Set([400, 422, 500])

const unknown =
  /unsupported|not supported|does not support|unrecogni[sz]ed|unknown|unexpected|extra|not permitted|not allowed|forbidden/i
const ofRole = /developer|(?:unknown|unexpected|unsupported|invalid)[^.]{0,20}\brole/i
const ofSystem = /system[ _](?:message|role|prompt)|roles? must|must alternate|at the (?:beginning|start)/i

/** The first message may be a system message, and no other. */
const hasLateSystem = (messages: ReadonlyArray<Json>): boolean => messages.slice(1).some(isInstruction)

type Refusal = (sent: JsonObject, said: string) => Strictness | null

const refusals: Readonly<Record<keyof Strictness, Refusal>> = {
  streamUsage: (sent, said) =>
    sent["stream_options"] !== undefined && /stream_options|include_usage/.test(said)
      ? { streamUsage: false }
      : null,
  tokenLimit: (sent, said) => {
    const refused = limits.find((name) => sent[name] !== undefined && said.includes(name))
    const other = limits.find((name) => name !== refused)
    return refused !== undefined && other !== undefined && unknown.test(said) ? { tokenLimit: other } : null
  },
  developerRole: (sent, said) =>
    messagesIn(sent).some(hasRole("developer")) && ofRole.test(said) ? { developerRole: "system" } : null,
  oneSystemMessage: (sent, said) =>
    hasLateSystem(messagesIn(sent)) && ofSystem.test(said) ? { oneSystemMessage: true } : null
}

const learnable = ["streamUsage", "tokenLimit", "developerRole", "oneSystemMessage"] as const

/** What a refusal of the body that was sent adds to what is known of the server; `null` if nothing can be said in another way. */
export const learned = (
  known: Strictness,
  sent: JsonObject,
  { json, status }: Pick<ProviderAnswer, "json" | "status">
): Strictness | null => {
  if (!statuses.has(status) || json === undefined) return null
  const said = JSON.stringify(json)
  for (const name of learnable) {
    const more = known[name] === undefined ? refusals[name](sent, said) : null
    if (more !== null) return more
  }
  return null
}
