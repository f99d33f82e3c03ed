/** The models of a collection, in its order. */
import { useQuery } from "@tanstack/react-query"
import { apiQuery } from "#console/api/Queries.ts"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Grid } from "#console/design/layout/Stack.tsx"
import { ModelCard } from "./ModelCard.tsx"

export const CollectionModels = ({ slug }: { readonly slug: string }) => {
  const { data, error, isPending, refetch } = useQuery(apiQuery("getCollection", { params: { slug } }))
  if (isPending) return <Skeleton lines={6} />
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />
  return (
    <Section isPlain title={data.name} lead={data.description}>
      {data.models.length === 0 ? (
        <EmptyState title="None of its models is offered now" />
      ) : (
        <Grid>
          {data.models.map((model) => (
            <ModelCard key={model.modelEndpoint} model={model} />
          ))}
        </Grid>
      )}
    </Section>
  )
}
