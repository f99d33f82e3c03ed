/** One event: its data, its hash, and the chain of its stream, which the browser checks on demand. */
import { Link } from "@tanstack/react-router"
import { useState } from "react"
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
import { readStream } from "./LogPages.ts"

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
      <Json label={`Data of ${type}`} value={JSON.parse(text)} />
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

const ChainCheck = ({ event: { hash, position, stream } }: { readonly event: LogEvent }) => {
  const [check, setCheck] = useState<Check>({ state: "none" })
  const run = async () => {
    setCheck({ state: "running" })
    try {
      const events = await readStream(stream)
      const broken = await Chain.firstBreak(events)
      const isSame = events.some((event) => event.position === position && event.hash === hash)
      setCheck(
        broken === null && isSame
          ? { state: "right", events: events.length }
          : { state: "broken", position: broken?.position ?? position }
      )
    } catch (error) {
      setCheck({ state: "failed", error })
    }
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
