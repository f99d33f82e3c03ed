/** The last proofs that found no break. Each is an anchor to compare with. */
import { useQuery } from "@tanstack/react-query"
import { adminQuery } from "#console/api/Queries.ts"
import type { AdminAnswer } from "#console/api/Types.ts"
import { CopyButton } from "#console/design/actions/CopyButton.tsx"
import { LinkButton } from "#console/design/actions/LinkButton.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Row } from "#console/design/layout/Stack.tsx"

type Proof = AdminAnswer<"listProofs">["data"][number]

const count = new Intl.NumberFormat()

const columns: ReadonlyArray<Column<Proof>> = [
  { id: "at", header: "Ended", cell: ({ madeAt }) => <Time at={madeAt} /> },
  { id: "position", header: "Up to position", align: "end", cell: ({ position }) => position },
  { id: "events", header: "Events", align: "end", cell: ({ events }) => count.format(events) },
  { id: "whole", header: "Last whole proof", cell: ({ whole }) => <Time at={whole.at} /> },
  {
    id: "anchor",
    header: "Anchor",
    align: "end",
    cell: ({ digest, position }) => (
      <Row>
        <CopyButton text={`${position}:${digest}`} what={`anchor of position ${position}`} />
        <LinkButton
          to="/operate/audit/log"
          search={{ expect: `${position}:${digest}` }}
          kind="quiet"
          size="small"
          aria-label={`Compare with the anchor of position ${position}`}
        >
          Compare
        </LinkButton>
      </Row>
    )
  }
]

export const ProofList = ({ kind }: { readonly kind: Proof["kind"] }) => {
  const { data, error, isPending, refetch } = useQuery(adminQuery("listProofs", {}))
  const proofs = data?.data.filter((proof) => proof.kind === kind) ?? []
  return (
    <Section
      title="Last proofs"
      isPlain
      lead="The last four that found no break, as signed checkpoints on this node."
    >
      {isPending && <Skeleton />}
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data !== undefined && proofs.length === 0 && <EmptyState title="Nothing was proved here yet" />}
      {proofs.length > 0 && (
        <Table
          caption="The last proofs"
          columns={columns}
          rows={proofs}
          rowKey={({ madeAt, position }) => `${position} ${madeAt}`}
        />
      )}
    </Section>
  )
}
