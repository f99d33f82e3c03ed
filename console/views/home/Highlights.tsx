/** Some models of the catalog: the curated ones first, then the newest. */
import { useQuery } from "@tanstack/react-query"
import { LinkButton } from "#console/design/actions/LinkButton.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Grid } from "#console/design/layout/Stack.tsx"
import { type ListedModel, ModelCard } from "#console/views/models/catalog/ModelCard.tsx"
import { models, modelsStaleMs } from "./Queries.ts"

const mostShown = 6

const inOrder = (all: ReadonlyArray<ListedModel>): ReadonlyArray<ListedModel> =>
  all
    .toSorted((left, right) => (left.recommended ?? Infinity) - (right.recommended ?? Infinity) || 0)
    .slice(0, mostShown)

export const Highlights = () => {
  const { data, error, refetch } = useQuery({ ...models, staleTime: modelsStaleMs })
  return (
    <Section
      isPlain
      title="Models"
      actions={
        <LinkButton to="/models" size="small" kind="quiet">
          Search all
        </LinkButton>
      }
    >
      {data === undefined &&
        (error === null ? (
          <Skeleton lines={6} />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ))}
      {data !== undefined && (
        <Grid>
          {inOrder(data.data).map((model) => (
            <ModelCard key={model.modelEndpoint} model={model} />
          ))}
        </Grid>
      )}
    </Section>
  )
}
