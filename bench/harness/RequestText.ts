/** Texts of HTTP/1.1 requests. */
export interface Headers {
  readonly [name: string]: string
}

const text = (line: string, headers: Headers, body: string): string => {
  const fields = Object.entries({ host: "127.0.0.1", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`
  )
  return `${line} HTTP/1.1\r\n${fields.join("")}\r\n${body}`
}

export const get = (path: string, headers: Headers = {}): string => text(`GET ${path}`, headers, "")

/** Only the head; the body follows separately. */
export const put = (path: string, headers: Headers): string => text(`PUT ${path}`, headers, "")

/** @param body is ASCII. */
export const postJson = (path: string, body: string, headers: Headers = {}): string =>
  text(
    `POST ${path}`,
    { "content-type": "application/json", "content-length": String(body.length), ...headers },
    body
  )
