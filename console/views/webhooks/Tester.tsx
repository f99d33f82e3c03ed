/** Sends a sample to a URL, and shows what came back. */
import { useMutation } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { call } from "#console/api/Client.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Select } from "#console/design/fields/Select.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import { Exchange } from "./Exchange.tsx"
import { events } from "./WebhooksSearch.ts"

export const Tester = () => {
  const [url, setUrl] = useState("")
  const [event, setEvent] = useState<(typeof events)[number]>("completed")
  const test = useMutation({ mutationFn: () => call("testWebhook", { payload: { url, event } }) })
  const submit = (submitted: FormEvent) => {
    submitted.preventDefault()
    test.mutate()
  }
  return (
    <Section
      title="Test a receiver"
      lead="A sample is sent once, signed with your secret, as a delivery would be. Nothing of it is stored."
    >
      <form onSubmit={submit}>
        <Stack>
          <TextField
            label="URL"
            type="url"
            name="url"
            isRequired
            value={url}
            onChange={setUrl}
            placeholder="https://example.com/hook"
          />
          <Row align="end" gap={2}>
            <Select
              label="Event"
              value={event}
              choices={events.map((value) => ({ value, label: value }))}
              onChange={setEvent}
            />
            <Button type="submit" kind="primary" isDisabled={test.isPending || url === ""}>
              {test.isPending ? "Sending…" : "Send sample"}
            </Button>
          </Row>
        </Stack>
      </form>
      {test.isError && <Notice kind="alarm" error={test.error} />}
      {test.data !== undefined && <Exchange exchange={test.data} />}
    </Section>
  )
}
