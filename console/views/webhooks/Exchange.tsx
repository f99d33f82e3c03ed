/** A request as it was sent, and what came back. */
import { Code } from "#console/design/data/Code.tsx"
import { durationText } from "#console/design/data/Duration.tsx"
import { Badge } from "#console/design/feedback/Badge.tsx"
import { Grid, Row, Stack } from "#console/design/layout/Stack.tsx"
import { errorText } from "./DeliveryStatus.tsx"

type Omitted = "erased" | "too_large" | "not_kept" | "unreadable"

export interface Exchanged {
  readonly responseStatus: number | null
  readonly durationMs: number | null
  readonly error: string | null
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string | null
    readonly bodySize: number
    readonly omitted: Omitted | null
  }
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string | null
    readonly isTruncated: boolean
    readonly omitted: Omitted | null
  } | null
}

const omissions: Readonly<Record<Omitted, string>> = {
  erased: "erased with the data of the request",
  too_large: "larger than 64 KiB: see the output of the request",
  not_kept: "headers and body are not kept of an empty 2xx answer",
  unreadable: "cannot be read from the store"
}

const linesOf = (headers: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`)

const requestText = ({ body, headers, method, omitted, url }: Exchanged["request"]): string => {
  const { host, pathname, search } = new URL(url)
  const head = [`${method} ${pathname}${search} HTTP/1.1`, `host: ${host}`, ...linesOf(headers)]
  return [...head, "", body ?? `(${omissions[omitted ?? "unreadable"]})`].join("\n")
}

const responseText = (response: NonNullable<Exchanged["response"]>): string => {
  const { body, headers, isTruncated, omitted, status } = response
  const end = omitted === null ? (body ?? "(not text)") : `(${omissions[omitted]})`
  return [
    `HTTP/1.1 ${status}`,
    ...linesOf(headers),
    "",
    end === "" ? "(no body)" : end,
    ...(isTruncated ? ["… (only the first 1 KiB is kept)"] : [])
  ].join("\n")
}

export const Exchange = ({ exchange }: { readonly exchange: Exchanged }) => {
  const { durationMs, error, request, response } = exchange
  return (
    <Stack>
      <Row>
        <Badge kind={error === null ? "good" : "alarm"}>{error === null ? "Accepted" : "Not accepted"}</Badge>
        <span>
          {error === null ? `Answered ${response?.status ?? ""}` : errorText(error)}
          {durationMs !== null && ` in ${durationText(durationMs)}`}
        </span>
      </Row>
      <Grid least="wide">
        <Stack gap={1}>
          <h3>Request</h3>
          <Code label="Request as sent" text={requestText(request)} isWrapped />
        </Stack>
        <Stack gap={1}>
          <h3>Response</h3>
          {response === null ? (
            <p>The receiver did not answer.</p>
          ) : (
            <Code label="Response" text={responseText(response)} isWrapped />
          )}
        </Stack>
      </Grid>
    </Stack>
  )
}
