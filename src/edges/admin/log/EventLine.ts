import type { RecordedEvent } from "#streams/RecordedEvent.ts"

/** One line of an export (docs/reference/cli.md, "log export"). `data` comes last, with the bytes that were hashed. */
export const json = ({ hash, id, ordinal, position, stream, text, time, type }: RecordedEvent): string =>
  `{"position":"${position}","stream":${JSON.stringify(stream)},"ordinal":${ordinal},"id":${JSON.stringify(id)},` +
  `"type":${JSON.stringify(type)},"time":${time},"hash":"${hash}","data":${text}}\n`
