/** Input and output of a request, and what stands in the place of one that is not there. */
import * as JsonText from "#domain/JsonText.ts"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Json as JsonValue } from "#domain/CanonicalJson.ts"
import { pathOf } from "#console/api/Client.ts"
import { useEvents } from "#console/api/Events.ts"
import { apiQuery } from "#console/api/Queries.ts"
import { CopyButton } from "#console/design/actions/CopyButton.tsx"
import { Json } from "#console/design/data/Json.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import * as LiveOutput from "#console/views/models/playground/LiveOutput.ts"
import { ResultView } from "#console/views/result/ResultView.tsx"
import { TextView } from "#console/views/result/TextView.tsx"
import { hasEnded, partsOf, type RetrievedRequest } from "./UseRequest.ts"

interface Props {
  readonly request: RetrievedRequest
}

const Erased = ({ at }: { readonly at: string }) => (
  <EmptyState title="Erased">
    <Time at={at} form="exact" />
  </EmptyState>
)

export const Input = ({ request: { erasedAt, input } }: Props) => (
  <Section
    title="Input"
    actions={erasedAt === null && <CopyButton text={JsonText.indented(input)} what="input" />}
  >
    {erasedAt === null ? <Json value={input} label="Input" /> : <Erased at={erasedAt} />}
  </Section>
)

export const Output = ({ request }: Props) => {
  const { erasedAt, media, output } = request
  const scalar = JsonText.spelledMember(request, "output")?.scalar ?? null
  return (
    <Section
      title="Output"
      actions={output !== null && <CopyButton text={scalar ?? JsonText.indented(output)} what="output" />}
    >
      {output !== null && <ResultView output={output} scalar={scalar} media={media} />}
      {output === null && <Absent request={request} erasedAt={erasedAt} />}
    </Section>
  )
}

const Absent = ({ erasedAt, request }: Props & Pick<RetrievedRequest, "erasedAt">) => {
  if (erasedAt !== null) return <Erased at={erasedAt} />
  return hasEnded(request) ? (
    <EmptyState title="There is no output">Only a completed request has one.</EmptyState>
  ) : (
    <Growing request={request} />
  )
}

const types = ["chunk", "restart"]

/** The output as it is made, if the model makes it in parts. */
const Growing = ({ request: { id, modelEndpoint } }: Props) => {
  const params = partsOf(modelEndpoint)
  const model = useQuery({ ...apiQuery("getModel", { params }), staleTime: 60_000 })
  const kind = model.data?.stream ?? null
  const [live, setLive] = useState<LiveOutput.LiveOutput | null>(null)
  const path = kind === null ? null : pathOf("streamRequestOutput", { params: { ...params, requestId: id } })
  useEvents(path, types, ({ data, type }) =>
    setLive((before) =>
      type === "restart" ? null : LiveOutput.add(before ?? LiveOutput.empty(kind), data as JsonValue)
    )
  )
  if (live?.value === undefined) {
    return (
      <EmptyState title="Not there yet">It appears here when the run is over, or as it is made.</EmptyState>
    )
  }
  return kind === "text" || kind === "openai" ? (
    <TextView text={live.text} isLive />
  ) : (
    <ResultView output={live.value} />
  )
}
