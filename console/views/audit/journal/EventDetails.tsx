/** One event: its data, its hash, and the chain of its stream, which the browser checks on demand. */
import * as JsonText from "#domain/JsonText.ts"
import { Link } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { Button } from "#console/design/actions/Button.tsx"
import { CopyButton } from "#console/design/actions/CopyButton.tsx"
import { LinkButton } from "#console/design/actions/LinkButton.tsx"
import { Id } from "#console/design/data/Id.tsx"
import { Json } from "#console/design/data/Json.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Facts } from "#console/design/layout/Facts.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import * as Chain from "../chain/Chain.ts"
import type { LogEvent } from "../chain/LogEvent.ts"
import * as LogPages from "./LogPages.ts"

export const EventDetails = ({ event }: { readonly event: LogEvent }) => {
  const { hash, id, ordinal, stream, text, time, type } = event
  return (
    <Stack>
      <Facts
        facts={[
          { name: "Hash", value: <Id id={hash} what="hash" /> },
          { name: "Event id", value: <Id id={id} what="event id" /> },
          { name: "Number in its stream", value: ordinal },
          { name: "Time", value: <Time at={time} form="exact" /> }
        ]}
      />
      <Json label={`Data of ${type}`} value={JsonText.parse(text)} />
      <Row>
        <CopyButton text={text} what="the data as JSON" label="Copy the data" />
        <LinkButton size="small" to="/operate/audit/journal" search={{ stream }}>
          Only this stream
        </LinkButton>
        <ChainCheck event={event} />
      </Row>
    </Stack>
  )
}

type Check =
  | { readonly state: "none" | "running" }
  | { readonly state: "right"; readonly events: number }
  | { readonly state: "broken"; readonly position: string }
  | { readonly state: "failed"; readonly error: unknown }

const insecure = "Browsers compute hashes only over HTTPS, or on the server's own machine."

/** Checks one event after the other, because a stream may be long. The shown event has to be one of them. */
const checked = async (shown: LogEvent, signal: AbortSignal): Promise<Check> => {
  let tail = Chain.start
  let events = 0
  let isFound = false
  for await (const event of LogPages.ofStream(shown.stream, signal)) {
    const next = await Chain.follow(tail, event)
    if (next === null) return { state: "broken", position: event.position }
    tail = next
    events++
    isFound ||= event.position === shown.position && event.hash === shown.hash
  }
  return isFound ? { state: "right", events } : { state: "broken", position: shown.position }
}

const ChainCheck = ({ event }: { readonly event: LogEvent }) => {
  const [check, setCheck] = useState<Check>({ state: "none" })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const run = async () => {
    const own = new AbortController()
    running.current = own
    setCheck({ state: "running" })
    const end = await checked(event, own.signal).catch((error: unknown): Check => ({
      state: "failed",
      error
    }))
    if (!own.signal.aborted) setCheck(end)
  }
  switch (check.state) {
    case "right":
      return (
        <Notice kind="good">
          Your browser has hashed the {check.events} events of the stream again: each follows on the one
          before.
        </Notice>
      )
    case "broken":
      return (
        <Notice kind="alarm">
          The chain breaks at position {check.position}. <Link to="/operate/audit/log">Verify the log</Link>
        </Notice>
      )
    case "failed":
      return <Notice kind="alarm" error={check.error} />
    case "none":
    case "running":
      return (
        <Button
          size="small"
          isDisabled={check.state === "running"}
          refusal={Chain.canHash() ? null : insecure}
          onPress={() => void run()}
        >
          Check the chain of its stream here
        </Button>
      )
  }
}
