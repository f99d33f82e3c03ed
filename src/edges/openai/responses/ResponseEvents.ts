/**
 * The events of a streamed response (https://platform.openai.com/docs/api-reference/responses-streaming), made of the chunks of a
 * chat: a message whose text grows, and calls of functions whose arguments grow.
 */
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as GrowingText from "#src/kernel/text/GrowingText.ts"
import * as ResponseObject from "./ResponseObject.ts"

interface Call {
  readonly place: number
  readonly id: string
  readonly name: string
  readonly arguments: GrowingText.GrowingText
}

export interface ResponseEvents {
  readonly begin: () => string
  /** The events of a chunk of a chat. */
  readonly take: (chunk: JsonObject) => string
  readonly hasContent: () => boolean
  readonly end: (usage: Json) => string
  readonly failed: (error: JsonObject) => string
}

export const make = (about: ResponseObject.About): ResponseEvents => {
  let sequence = 0
  let hasBegun = false
  let text: GrowingText.GrowingText | null = null
  let textPlace = 0
  let places = 0
  let finish: Json | undefined
  let usage: Json = null
  const calls = new Map<number, Call>()

  const event = (type: string, members: JsonObject): string =>
    `event: ${type}\ndata: ${JsonText.writeLine({ type, sequence_number: sequence++, ...members })}\n\n`

  const message = (status: string) => ResponseObject.messageItem(about, text?.text() ?? "", status, textPlace)
  const callItem = ({ arguments: made, id, name, place }: Call, status: string) =>
    ResponseObject.callItem(about, place, { id, name, arguments: made.text() }, status)
  const inMessage = () => ({
    item_id: ResponseObject.messageId(about, textPlace),
    output_index: textPlace,
    content_index: 0
  })

  const begin = (): string => {
    if (hasBegun) return ""
    hasBegun = true
    const response = ResponseObject.make(about, { status: "in_progress", items: [], usage: null })
    return event("response.created", { response }) + event("response.in_progress", { response })
  }

  const takeText = (more: string): string => {
    let begun = ""
    if (text === null) {
      text = GrowingText.make()
      textPlace = places++
      begun =
        event("response.output_item.added", { output_index: textPlace, item: message("in_progress") }) +
        event("response.content_part.added", { ...inMessage(), part: ResponseObject.textPart("") })
    }
    text.add(more)
    return begun + event("response.output_text.delta", { ...inMessage(), delta: more, logprobs: [] })
  }

  const takeCall = (given: JsonObject, order: number): string => {
    const index = typeof given["index"] === "number" ? given["index"] : order
    const named = isObject(given["function"]) ? given["function"] : {}
    const more = typeof named["arguments"] === "string" ? named["arguments"] : ""
    let begun = ""
    let call = calls.get(index)
    if (call === undefined) {
      call = {
        place: places++,
        id: String(given["id"] ?? ""),
        name: String(named["name"] ?? ""),
        arguments: GrowingText.make()
      }
      calls.set(index, call)
      begun = event("response.output_item.added", {
        output_index: call.place,
        item: callItem(call, "in_progress")
      })
    }
    call.arguments.add(more)
    if (more === "") return begun
    const item = { item_id: ResponseObject.callId(about, call.place), output_index: call.place }
    return begun + event("response.function_call_arguments.delta", { ...item, delta: more })
  }

  const takeChoice = (choice: JsonObject): string => {
    const { delta, finish_reason: ended } = choice
    finish = ended ?? finish
    if (!isObject(delta)) return ""
    const { content, refusal, tool_calls: called } = delta
    const said = typeof content === "string" ? content : typeof refusal === "string" ? refusal : ""
    return (
      (said === "" ? "" : takeText(said)) +
      (isList(called) ? called.filter(isObject).map(takeCall).join("") : "")
    )
  }

  const endText = (): string => {
    if (text === null) return ""
    const whole = text.text()
    const part = ResponseObject.textPart(whole)
    return (
      event("response.output_text.done", { ...inMessage(), text: whole, logprobs: [] }) +
      event("response.content_part.done", { ...inMessage(), part }) +
      event("response.output_item.done", { output_index: textPlace, item: message("completed") })
    )
  }

  const endCall = (call: Call): string => {
    const item = callItem(call, "completed")
    return (
      event("response.function_call_arguments.done", {
        item_id: String(item["id"] ?? ""),
        output_index: call.place,
        name: call.name,
        arguments: call.arguments.text()
      }) + event("response.output_item.done", { output_index: call.place, item })
    )
  }

  const items = (): ReadonlyArray<JsonObject> =>
    [
      ...(text === null ? [] : [{ place: textPlace, item: message("completed") }]),
      ...[...calls.values()].map((call) => ({ place: call.place, item: callItem(call, "completed") }))
    ]
      .toSorted((a, b) => a.place - b.place)
      .map(({ item }) => item)

  return {
    begin,
    take: (chunk) => {
      const { choices, usage: used } = chunk
      if (used !== undefined && used !== null) usage = used
      const first = (isList(choices) ? choices : [])
        .filter(isObject)
        .filter(({ index }) => (index ?? 0) === 0)
      return begin() + first.map(takeChoice).join("")
    },
    hasContent: () => text !== null || calls.size > 0,
    end: (used) => {
      const begun = begin() + (text === null && calls.size === 0 ? takeText("") : "")
      const status = ResponseObject.statusOf(finish)
      const ended = endText() + [...calls.values()].map(endCall).join("")
      const response = ResponseObject.make(about, { status, finish, items: items(), usage: usage ?? used })
      return begun + ended + event(`response.${status}`, { response })
    },
    failed: (error) => {
      const response = ResponseObject.make(about, { status: "failed", items: items(), usage, error })
      return begin() + event("response.failed", { response })
    }
  }
}
