/** Price, duration, example, and what a wrapper is made of, or which wrappers a model has. */
import * as JsonText from "#domain/JsonText.ts"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { apiQuery } from "#console/api/Queries.ts"
import { LinkButton } from "#console/design/actions/LinkButton.tsx"
import { Code } from "#console/design/data/Code.tsx"
import { Duration } from "#console/design/data/Duration.tsx"
import { Json } from "#console/design/data/Json.tsx"
import { moneyText } from "#console/design/data/Money.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Badge } from "#console/design/feedback/Badge.tsx"
import { type Fact, Facts } from "#console/design/layout/Facts.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Grid, Row, Stack } from "#console/design/layout/Stack.tsx"
import { type ListedModel, ModelCard } from "../catalog/ModelCard.tsx"
import * as InputLink from "../playground/InputLink.ts"
import * as PriceText from "../PriceText.ts"

const seconds = (value: number | null) => <Duration ms={value === null ? null : value * 1_000} />

const factsOf = ({
  expected,
  expectedSeconds,
  pricing,
  recommended,
  updatedAt
}: ListedModel): ReadonlyArray<Fact> => [
  { name: "Price", value: PriceText.of(pricing) },
  { name: "Least charge of a run", value: moneyText(pricing.minimumCharge) },
  { name: "Usual duration, by its publisher", value: seconds(expectedSeconds) },
  ...(expected === null || expected.samples === 0
    ? []
    : [
        { name: "Half of recent runs took at most", value: seconds(expected.p50Seconds) },
        { name: "Nine of ten took at most", value: seconds(expected.p90Seconds) },
        { name: "Recent runs behind these figures", value: expected.samples.toLocaleString() }
      ]),
  ...(expected === null
    ? []
    : [
        {
          name: "Wait before a run now",
          value: expected.waitSeconds === null ? "No run can begin now" : seconds(expected.waitSeconds)
        }
      ]),
  ...(recommended === null ? [] : [{ name: "Place in the curated list", value: String(recommended) }]),
  { name: "Last published", value: <Time at={updatedAt} form="exact" /> }
]

const Wrappers = ({ endpoint }: { readonly endpoint: string }) => {
  const { data } = useQuery({ ...apiQuery("listWrappers", { query: { limit: "100" } }), staleTime: 60_000 })
  const rows = (data?.data ?? []).filter(({ base }) => base === endpoint)
  if (rows.length === 0) return null
  return (
    <Section isPlain title="Wrappers" lead="They run this model with a simpler input.">
      <Grid>
        {rows.map((model) => (
          <ModelCard key={model.modelEndpoint} model={model} />
        ))}
      </Grid>
    </Section>
  )
}

export const AboutModel = ({ model }: { readonly model: ListedModel }) => {
  const { exampleInput, kind, modelEndpoint, name, owner, tags } = model
  const fragment = InputLink.fragmentOf(exampleInput)
  return (
    <Stack gap={3}>
      <Section title="Price and duration">
        <Facts facts={factsOf(model)} />
        {tags.length > 0 && (
          <Row gap="half">
            {tags.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </Row>
        )}
      </Section>
      <Section
        title="Example"
        actions={
          <LinkButton
            to="/models/$owner/$name"
            params={{ owner, name }}
            {...(fragment !== null && { hash: fragment.slice(1) })}
            size="small"
          >
            Try it
          </LinkButton>
        }
      >
        <Code label="Example input" text={JsonText.indented(exampleInput)} isWrapped />
      </Section>
      {kind === "wrapper" ? (
        <Section title="What it runs" lead={<WrappedBy base={model.base} />}>
          <Json label="Template" value={model.template} />
          <p>Values of placeholders that the input leaves out:</p>
          <Json label="Defaults" value={model.defaults} />
        </Section>
      ) : (
        <Wrappers endpoint={modelEndpoint} />
      )}
    </Stack>
  )
}

const WrappedBy = ({ base }: { readonly base: string }) => {
  const [owner = "", name = ""] = base.split("/")
  return (
    <>
      Runs{" "}
      <Link to="/models/$owner/$name" params={{ owner, name }}>
        {base}
      </Link>{" "}
      with the input that its template makes.
    </>
  )
}
