/** One model: its playground, its schema, and what it costs and is made of. */
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { lazy, Suspense } from "react"
import { ApiError } from "#clients/typescript/ApiError.ts"
import { apiQuery } from "#console/api/Queries.ts"
import { LinkButton } from "#console/design/actions/LinkButton.tsx"
import { Badge } from "#console/design/feedback/Badge.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { Row } from "#console/design/layout/Stack.tsx"
import { Tabs } from "#console/design/layout/Tabs.tsx"
import type { ListedModel } from "../catalog/ModelCard.tsx"
import * as Expectation from "../playground/Expectation.ts"
import * as PriceText from "../PriceText.ts"
import { AboutModel } from "./AboutModel.tsx"
import type { Tab } from "./ModelSearch.ts"
import { SchemaView } from "./SchemaView.tsx"

// With the forms: most visits of the catalog need neither.
const Playground = lazy(() => import("../playground/Playground.tsx"))

const route = getRouteApi("/shell/account/models/$owner/$name")

const Missing = ({ endpoint }: { readonly endpoint: string }) => (
  <Page title="Unknown model">
    <EmptyState
      title={`There is no model ${endpoint}`}
      action={<LinkButton to="/models">All models</LinkButton>}
    >
      It may be withdrawn, or the address mistyped.
    </EmptyState>
  </Page>
)

const Parts = ({ model }: { readonly model: ListedModel }) => {
  const { request, tab = "playground" } = route.useSearch()
  const navigate = route.useNavigate()
  const { name, owner } = model
  const params = { ownerName: owner, modelName: name }
  const schema = useQuery({ ...apiQuery("getModelSchema", { params }), staleTime: 60_000 })
  // Each model begins anew.
  const key = model.modelEndpoint
  const choose = (tab: Tab) =>
    void navigate({
      search: { ...(tab !== "playground" && { tab }), ...(request !== undefined && { request }) },
      hash: true,
      replace: true,
      resetScroll: false
    })
  if (schema.isPending) return <Skeleton lines={8} />
  if (schema.isError) return <ErrorState error={schema.error} onRetry={() => void schema.refetch()} />
  return (
    <Tabs
      label={model.displayName}
      chosen={tab}
      onChoose={choose}
      parts={[
        {
          id: "playground",
          label: "Playground",
          content: (
            <Suspense fallback={<Skeleton lines={8} />}>
              <Playground key={key} model={model} input={schema.data.input} output={schema.data.output} />
            </Suspense>
          )
        },
        {
          id: "schema",
          label: "Schema",
          content: <SchemaView input={schema.data.input} output={schema.data.output} />
        },
        { id: "about", label: "Price and examples", content: <AboutModel model={model} /> }
      ]}
    />
  )
}

export const ModelView = () => {
  const { name, owner } = route.useParams()
  const {
    data: model,
    error,
    isPending,
    refetch
  } = useQuery(apiQuery("getModel", { params: { ownerName: owner, modelName: name } }))
  if (isPending) {
    return (
      <Page title={`${owner}/${name}`}>
        <Skeleton lines={8} />
      </Page>
    )
  }
  if (error !== null) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400))
      return <Missing endpoint={`${owner}/${name}`} />
    return (
      <Page title={`${owner}/${name}`}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Page>
    )
  }
  const {
    category,
    description,
    displayName,
    expected,
    expectedSeconds,
    kind,
    modelEndpoint,
    pricing,
    status
  } = model
  return (
    <Page title={displayName} lead={description}>
      <Row gap={2}>
        <code>{modelEndpoint}</code>
        <span>{PriceText.of(pricing)}</span>
        <span>{Expectation.durationText({ expected, expectedSeconds })}</span>
        <Badge>{category}</Badge>
        {kind === "wrapper" && <Badge kind="info">wrapper</Badge>}
      </Row>
      {status === "deprecated" && (
        <Notice kind="warning" title="This model is deprecated">
          <p>It still runs, but should not be used in new code.</p>
        </Notice>
      )}
      <Parts model={model} />
    </Page>
  )
}
