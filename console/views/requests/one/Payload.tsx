/** Input and output of a request, and what stands in the place of one that is not there. */
import { CopyButton } from "#console/design/actions/CopyButton.tsx"
import { Json } from "#console/design/data/Json.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { hasEnded, type RetrievedRequest } from "./UseRequest.ts"

const Erased = ({ at }: { readonly at: string }) => (
  <EmptyState title="Erased">
    <Time at={at} form="exact" />
  </EmptyState>
)

export const Input = ({ request: { erasedAt, input } }: { readonly request: RetrievedRequest }) => (
  <Section
    title="Input"
    actions={erasedAt === null && <CopyButton text={JSON.stringify(input, null, 2)} what="input" />}
  >
    {erasedAt === null ? <Json value={input} label="Input" /> : <Erased at={erasedAt} />}
  </Section>
)

export const Output = ({ request }: { readonly request: RetrievedRequest }) => {
  const { erasedAt, output } = request
  return (
    <Section
      title="Output"
      actions={output !== null && <CopyButton text={JSON.stringify(output, null, 2)} what="output" />}
    >
      {output !== null && <Json value={output} label="Output" />}
      {output === null && erasedAt !== null && <Erased at={erasedAt} />}
      {output === null && erasedAt === null && (
        <EmptyState title={hasEnded(request) ? "There is no output" : "Not there yet"}>
          {hasEnded(request) ? "Only a completed request has one." : "It appears here when the run is over."}
        </EmptyState>
      )}
    </Section>
  )
}
