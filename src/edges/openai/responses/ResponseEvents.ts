/**
 * The events of a streamed response (https://platform.openai.com/docs/api-reference/responses-streaming), made of the chunks of a
 * chat: reasoning and a message whose texts grow, and calls of tools whose arguments grow.
 */
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as GrowingText from "#src/kernel/text/GrowingText.ts"
import * as ResponseItems from "./ResponseItems.ts"
import * as ResponseObject from "./ResponseObject.ts"
import * as StreamedCalls from "./StreamedCalls.ts"

export interface ResponseEvents {
  readonly begin: () => string
  /** The events of a chunk of a chat. */
  readonly take: (chunk: JsonObject) => string
  readonly hasContent: () => boolean
  readonly end: (usage: Json) => string
  readonly failed: (error: JsonObject) => string
}

/** A part of the message: its text, or its refusal. */
interface Part {
  readonly index: number
  readonly text: GrowingText.GrowingText
}

interface Thought {
  readonly place: number
  readonly round: number
  readonly text: GrowingText.GrowingText
}

export const make = (about: ResponseObject.About): ResponseEvents => {
  const maker = ResponseObject.makerOf(about)
  let sequence = 0
  let hasBegun = false
  let places = 0
  let thoughts = 0
  let finish: Json | undefined
  let usage: Json = null
  let thought: Thought | null = null
  let messagePlace: number | null = null
  let parts = 0
  let text: Part | null = null
  let refusal: Part | null = null
  const annotations: Array<Json> = []
  const logprobs: Array<Json> = []
  const calls = StreamedCalls.make(maker.id)
  const callPlaces = new Map<StreamedCalls.Growing, number>()
  /** Ended items by their place. */
  const items = new Map<number, JsonObject>()
  const ended = (): ReadonlyArray<JsonObject> =>
    [...items].toSorted(([a], [b]) => a - b).map(([, item]) => item)

  const event = (type: string, members: JsonObject): string =>
    `event: ${type}\ndata: ${JsonText.writeLine({ type, sequence_number: sequence++, ...members })}\n\n`

  const itemAdded = (place: number, item: JsonObject): string =>
    event("response.output_item.added", { output_index: place, item })

  const itemDone = (place: number, item: JsonObject): string => {
    items.set(place, item)
    return event("response.output_item.done", { output_index: place, item })
  }

  const begin = (): string => {
    if (hasBegun) return ""
    hasBegun = true
    const response = ResponseObject.make(about, { status: "in_progress", items: [], usage: null })
    return event("response.created", { response }) + event("response.in_progress", { response })
  }

  const inThought = ({ place, round }: Thought) => ({
    item_id: ResponseItems.reasoningId(maker, round),
    output_index: place,
    summary_index: 0
  })

  const takeThought = (more: string): string => {
    let begun = ""
    if (thought === null) {
      thought = { place: places++, round: thoughts++, text: GrowingText.make() }
      begun =
        itemAdded(thought.place, ResponseItems.reasoning(maker, null, thought.round)) +
        event("response.reasoning_summary_part.added", {
          ...inThought(thought),
          part: ResponseItems.summaryPart("")
        })
    }
    thought.text.add(more)
    return begun + event("response.reasoning_summary_text.delta", { ...inThought(thought), delta: more })
  }

  /** Thoughts end where the model begins to say or call something. */
  const endThought = (): string => {
    if (thought === null) return ""
    const last = thought
    thought = null
    const whole = last.text.text()
    return (
      event("response.reasoning_summary_text.done", { ...inThought(last), text: whole }) +
      event("response.reasoning_summary_part.done", {
        ...inThought(last),
        part: ResponseItems.summaryPart(whole)
      }) +
      itemDone(last.place, ResponseItems.reasoning(maker, whole, last.round))
    )
  }

  const inMessage = (part: Part) => ({
    item_id: ResponseItems.messageId(maker),
    output_index: messagePlace ?? 0,
    content_index: part.index
  })

  const beginMessage = (): string => {
    if (messagePlace !== null) return ""
    messagePlace = places++
    return itemAdded(messagePlace, ResponseItems.message(maker, null))
  }

  const partAdded = (part: Part, empty: JsonObject): string =>
    event("response.content_part.added", { ...inMessage(part), part: empty })

  const takeText = (more: string, tokens: ReadonlyArray<Json> = []): string => {
    let begun = endThought() + beginMessage()
    if (text === null) {
      text = { index: parts++, text: GrowingText.make() }
      begun += partAdded(text, ResponseItems.textPart(""))
    }
    text.text.add(more)
    for (const token of tokens) logprobs.push(token)
    const delta = { ...inMessage(text), delta: more, logprobs: tokens }
    return begun + event("response.output_text.delta", delta)
  }

  const takeRefusal = (more: string): string => {
    let begun = endThought() + beginMessage()
    if (refusal === null) {
      refusal = { index: parts++, text: GrowingText.make() }
      begun += partAdded(refusal, ResponseItems.refusalPart(""))
    }
    refusal.text.add(more)
    return begun + event("response.refusal.delta", { ...inMessage(refusal), delta: more })
  }

  const takeAnnotation = (annotation: Json): string => {
    const begun = text === null ? takeText("") : ""
    if (text === null) return begun
    annotations.push(annotation)
    const annotated = { ...inMessage(text), annotation_index: annotations.length - 1, annotation }
    return begun + event("response.output_text.annotation.added", annotated)
  }

  /** The text of a custom tool is inside its arguments, so it is sent when these are whole. */
  const callDelta = (call: StreamedCalls.Growing, place: number, more: string): string => {
    const one = call.now()
    if (more === "" || ResponseItems.isCustom(maker, one)) return ""
    const item = { item_id: ResponseItems.callItemId(maker, one), output_index: place }
    return event("response.function_call_arguments.delta", { ...item, delta: more })
  }

  const takeCall = ({ call, more }: StreamedCalls.Taken): string => {
    const known = callPlaces.get(call)
    if (known !== undefined) return callDelta(call, known, more)
    if (!call.isNamed()) return endThought()
    return beginCall(call)
  }

  const beginCall = (call: StreamedCalls.Growing): string => {
    const before = endThought()
    const place = places++
    callPlaces.set(call, place)
    const one = call.now()
    const added = itemAdded(place, ResponseItems.call(maker, { ...one, arguments: "" }, "in_progress"))
    return before + added + callDelta(call, place, one.arguments)
  }

  const takeChoice = (choice: JsonObject): string => {
    const { delta, finish_reason: given } = choice
    finish = given ?? finish
    if (!isObject(delta)) return ""
    const { tool_calls: called } = delta
    const said = ResponseItems.saidIn(delta, choice)
    const thoughtOf = ResponseItems.thoughtIn(delta)
    return [
      thoughtOf === "" ? "" : takeThought(thoughtOf),
      said.text === null ? "" : takeText(said.text, said.logprobs),
      said.refusal === null ? "" : takeRefusal(said.refusal),
      ...said.annotations.map(takeAnnotation),
      ...(isList(called) ? called.filter(isObject).map((one) => takeCall(calls.take(one))) : [])
    ].join("")
  }

  const endMessage = (): string => {
    if (messagePlace === null) return ""
    const whole = {
      text: text?.text.text() ?? null,
      refusal: refusal?.text.text() ?? null,
      annotations,
      logprobs
    }
    const ofText = () => {
      if (text === null) return ""
      const part = ResponseItems.textPart(whole.text ?? "", whole)
      return (
        event("response.output_text.done", { ...inMessage(text), text: whole.text ?? "", logprobs }) +
        event("response.content_part.done", { ...inMessage(text), part })
      )
    }
    const ofRefusal = () => {
      if (refusal === null) return ""
      const part = ResponseItems.refusalPart(whole.refusal ?? "")
      return (
        event("response.refusal.done", { ...inMessage(refusal), refusal: whole.refusal ?? "" }) +
        event("response.content_part.done", { ...inMessage(refusal), part })
      )
    }
    return ofText() + ofRefusal() + itemDone(messagePlace, ResponseItems.message(maker, whole))
  }

  const endCall = (call: StreamedCalls.Growing): string => {
    const begun = callPlaces.has(call) ? "" : beginCall(call)
    const place = callPlaces.get(call) ?? 0
    const one = call.now()
    const item = ResponseItems.call(maker, one, "completed")
    const of = { item_id: ResponseItems.callItemId(maker, one), output_index: place }
    const input = item["input"] ?? ""
    const last = ResponseItems.isCustom(maker, one)
      ? event("response.custom_tool_call_input.delta", { ...of, delta: input }) +
        event("response.custom_tool_call_input.done", { ...of, input })
      : event("response.function_call_arguments.done", {
          ...of,
          name: one.name,
          arguments: one.arguments
        })
    return begun + last + itemDone(place, item)
  }

  const isSilent = () => messagePlace === null && calls.all().length === 0

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
    hasContent: () => thoughts > 0 || !isSilent(),
    end: (used) => {
      const begun = begin() + endThought() + (isSilent() ? takeText("") : "")
      const status = ResponseObject.statusOf(finish)
      const last = endMessage() + calls.all().map(endCall).join("")
      const response = ResponseObject.make(about, { status, finish, items: ended(), usage: usage ?? used })
      return begun + last + event(`response.${status}`, { response })
    },
    failed: (error) => {
      const response = ResponseObject.make(about, { status: "failed", items: ended(), usage, error })
      return begin() + event("response.failed", { response })
    }
  }
}
