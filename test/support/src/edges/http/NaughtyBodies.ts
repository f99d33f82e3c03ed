/** Bodies that break parsers, and the allowed answers of a JSON route. */
const encode = (text: string) => new TextEncoder().encode(text)

const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

/** Each is refused with 400. */
export const refused: ReadonlyArray<readonly [string, Uint8Array]> = [
  ["nothing", encode("")],
  ["white space", encode(" \n\t")],
  ["a bare word", encode("nul")],
  ["an open object", encode('{"value":1')],
  ["a trailing comma", encode('{"value":1,}')],
  ["single quotes", encode("{'value':1}")],
  ["a comment", encode('{"value":1}//')],
  ["two values", encode('{"value":1}{"value":2}')],
  ["NaN", encode('{"value":NaN}')],
  ["a leading zero", encode('{"value":01}')],
  ["hexadecimal", encode('{"value":0x1}')],
  ["an unescaped control character", encode('{"value":"\u0000"}')],
  ["a bad escape", encode('{"value":"\\x"}')],
  ["half an escape", encode('{"value":"\\u12"}')],
  ["a number above all numbers", encode('{"value":1e999}')],
  ["a number below all numbers", encode('{"value":[{"a":-1E+9999}]}')],
  ["a number of a thousand digits", encode(`{"value":${"9".repeat(1000)}}`)],
  ["a long number with a short exponent", encode(`{"value":${"9".repeat(299)}e99}`)],
  ["129 levels", encode(`{"value":${nested("[", "]", 128)}}`)],
  ["a million arrays", encode(nested("[", "]", 1_000_000))],
  ["a million open arrays", encode("[".repeat(1_000_000))],
  ["a million open objects", encode('{"a":'.repeat(1_000_000))],
  ["Latin-1", Uint8Array.from([...encode('{"value":"'), 0xe9, ...encode('"}')])],
  ["an overlong encoding", Uint8Array.from([...encode('{"value":"'), 0xc0, 0xaf, ...encode('"}')])],
  ["an encoded surrogate", Uint8Array.from([...encode('{"value":"'), 0xed, 0xa0, 0x80, ...encode('"}')])],
  ["UTF-16", new Uint8Array(Buffer.from('{"value":1}', "utf16le"))],
  ["bytes", Uint8Array.from({ length: 256 }, (_, index) => index)]
]

/** Each is accepted and returned unchanged by `GET /requests/{id}`. */
export const kept: ReadonlyArray<readonly [string, string]> = [
  ["128 levels", `{"value":${nested("[", "]", 127)}}`],
  ["brackets in strings", `{"value":"${"[{".repeat(500)}\\"[["}`],
  ["a key __proto__", '{"value":{"__proto__":{"polluted":true},"constructor":{"prototype":{}}}}'],
  ["an escaped NUL", '{"value":"\\u0000"}'],
  ["lone surrogates", '{"value":"\\ud800 \\udfff","\\udc00":1}'.replace(',"\\udc00":1', "")],
  ["characters of other planes", '{"value":"😀\\ud83d\\ude00"}'],
  ["the largest number", '{"value":1.7976931348623157e308}'],
  ["the smallest number", '{"value":5e-324}'],
  ["an empty key", '{"value":{"":{"":""}}}'],
  ["right-to-left marks and zero widths", '{"value":"\u202e\u200b\ufeff"}'],
  ["SQL and markup", `{"value":"'; DROP TABLE events;-- <script>\${7*7}</script>"}`]
]
