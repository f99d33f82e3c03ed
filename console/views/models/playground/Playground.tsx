/** Tries a model: an input by form or JSON, its price before, its run as it goes, and its result. */
import * as JsonText from "#domain/JsonText.ts"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi, useLocation, useRouter } from "@tanstack/react-router"
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import { ApiError } from "#clients/typescript/ApiError.ts"
import { call } from "#console/api/Client.ts"
import { missingScope } from "#console/api/Session.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { CopyButton } from "#console/design/actions/CopyButton.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import { Tabs } from "#console/design/layout/Tabs.tsx"
import { isRecord } from "#console/views/result/JsonShape.ts"
import type { ListedModel } from "../catalog/ModelCard.tsx"
import * as InputData from "../form/InputData.ts"
import * as InputIssues from "../form/InputIssues.ts"
import { SchemaForm } from "../form/SchemaForm.tsx"
import * as ServerIssues from "../form/ServerIssues.ts"
import * as Expectation from "./Expectation.ts"
import { InputJson } from "./InputJson.tsx"
import * as InputLink from "./InputLink.ts"
import type { Retrieved } from "./LiveRequest.ts"
import classes from "./Playground.module.css"
import { RunPanel } from "./RunPanel.tsx"
import { SameCall } from "./SameCall.tsx"
import { useSettled } from "./Settled.ts"
import * as StartInput from "./StartInput.ts"
import { useSubmitting } from "./Submitting.ts"
import { WebhookField } from "./WebhookField.tsx"

const route = getRouteApi("/shell/account/models/$owner/$name")

/** Time without a change before the server is asked for the price, ms. */
const settledMs = 300

const useEstimate = (modelEndpoint: string, input: Json, isValid: boolean) => {
  const settled = useSettled(input, settledMs)
  const { data } = useQuery({
    queryKey: ["api", "estimatePrice", modelEndpoint, settled],
    queryFn: ({ signal }) =>
      isRecord(settled)
        ? call("estimatePrice", { payload: { modelEndpoint, input: settled }, signal })
        : null,
    enabled: isValid && InputData.isEqual(settled, input),
    placeholderData: (before) => before,
    retry: false,
    staleTime: 10_000
  })
  return isValid ? (data ?? null) : null
}

/** Puts the focus into the first field with an error. */
const focusFirst = (form: HTMLElement | null) =>
  form
    ?.querySelector("[data-invalid]")
    ?.querySelector<HTMLElement>("input, textarea, button, [tabindex='0']")
    ?.focus()

/**
 * Changes search and hash of the model's address. It stays on the screen while the next view loads, and the address
 * belongs to that one by then.
 */
const useAddress = (owner: string, name: string) => {
  const router = useRouter()
  const own = { to: "/models/$owner/$name", params: { owner, name } } as const
  return (change: {
    readonly search: true | { readonly request: string }
    readonly hash: true | string
    readonly replace?: boolean
  }) => {
    if (router.buildLocation(own).pathname !== router.latestLocation.pathname) return
    void router.navigate({ ...own, ...change, resetScroll: false, hashScrollIntoView: false })
  }
}

const Playground = ({
  input: schema,
  model,
  output
}: {
  readonly model: ListedModel
  readonly input: JsonObject
  readonly output: JsonObject
}) => {
  const { exampleInput, modelEndpoint, name, owner, stream } = model
  const { request: requestId } = route.useSearch()
  const { account } = route.useRouteContext()
  const changeAddress = useAddress(owner, name)
  const hash = useLocation({ select: ({ hash }) => hash })
  const linked = useMemo(() => InputLink.inputOf(hash), [hash])
  const [value, setValue] = useState<Json>(() => linked ?? StartInput.of(schema, exampleInput))
  const [view, setView] = useState<"form" | "json">("form")
  const [isJudged, setJudged] = useState(false)
  const [refused, setRefused] = useState<ReadonlyArray<InputIssues.InputIssue>>([])
  const [attempts, setAttempts] = useState(0)
  const [webhook, setWebhook] = useState("")
  const isTouched = useRef(linked !== undefined)
  const form = useRef<HTMLDivElement>(null)

  const issues = useMemo(() => InputIssues.of(schema, value), [schema, value])
  const shownIssues = isJudged ? [...issues, ...refused] : refused
  const estimate = useEstimate(modelEndpoint, value, issues.length === 0)

  const { clear, error, isSending, submit } = useSubmitting(
    { ownerName: owner, modelName: name },
    (request) => changeAddress({ search: { request }, hash: true })
  )

  const change = (next: Json) => {
    isTouched.current = true
    setRefused([])
    setValue(next)
  }

  const run = () => {
    setJudged(true)
    if (issues.length > 0) {
      setView("form")
      setAttempts(attempts + 1)
      return
    }
    clear()
    if (isRecord(value)) submit(webhook === "" ? value : JsonText.edit(value, { set: { webhook } }))
  }

  // What only the server found wrong stands at its fields, too.
  useEffect(() => {
    if (!(error instanceof ApiError) || error.issues.length === 0) return
    setRefused(ServerIssues.of(error.issues))
    setAttempts((attempts) => attempts + 1)
  }, [error])
  useEffect(() => {
    if (attempts > 0) focusFirst(form.current)
  }, [attempts])

  // The address has the input, so that it can be shared and survives a reload.
  const settled = useSettled(value, settledMs)
  useEffect(() => {
    const isStart = !isTouched.current || InputData.isEqual(settled, exampleInput)
    const fragment = isStart ? "" : (InputLink.fragmentOf(settled) ?? "").slice(1)
    if (fragment !== hash) changeAddress({ search: true, hash: fragment, replace: true })
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- Only what is entered changes the address.
  }, [settled])

  /** A request that is opened by its address brings its input along. */
  const takeInput = ({ input, modelEndpoint: of }: Retrieved) => {
    if (!isTouched.current && of === modelEndpoint && isRecord(input)) change(input)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (!isSending) run()
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- The button does the same.
    <div className={classes["playground"]} onKeyDown={onKeyDown}>
      <Section
        title="Input"
        actions={
          <>
            <Button size="small" kind="quiet" onPress={() => change(exampleInput)}>
              Example
            </Button>
            <Button size="small" kind="quiet" onPress={() => change(StartInput.empty(schema))}>
              Clear
            </Button>
            <CopyButton
              text={`${location.href.split("#")[0]}${InputLink.fragmentOf(value) ?? ""}`}
              what="link to this input"
              label="Copy link"
            />
          </>
        }
      >
        <Tabs
          label="Input"
          chosen={view}
          onChoose={setView}
          parts={[
            {
              id: "form",
              label: "Form",
              content: (
                <div ref={form}>
                  <SchemaForm
                    schema={schema}
                    value={value}
                    onChange={(next) => change(InputData.keeping(value, next))}
                    issues={shownIssues}
                    example={exampleInput}
                  />
                </div>
              )
            },
            {
              id: "json",
              label: "JSON",
              content: <InputJson value={value} onChange={change} error={issueText(shownIssues)} />
            }
          ]}
        />
        <div className={classes["run"]}>
          <WebhookField
            value={webhook}
            error={refused.find(({ path }) => path[0] === "webhook")?.message ?? null}
            onChange={(url) => {
              setRefused([])
              setWebhook(url)
            }}
          />
          {error !== null && !(error instanceof ApiError && error.issues.length > 0) && (
            <Notice kind="alarm" title="The run was not accepted" error={error} />
          )}
          {isJudged && issues.length > 0 && (
            <Notice kind="alarm">
              {issues.length === 1 ? "One field needs" : `${issues.length} fields need`} your attention:{" "}
              {issueText(issues)}
            </Notice>
          )}
          <Row gap={2}>
            <Button
              kind="primary"
              isDisabled={isSending}
              refusal={missingScope(account, "requests:write")}
              onPress={run}
            >
              {isSending ? "Sending …" : Expectation.runLabel(estimate)}
            </Button>
            <span className={classes["note"]}>
              <kbd>Ctrl</kbd> + <kbd>Enter</kbd>
            </span>
            {estimate !== null && <span className={classes["note"]}>{Expectation.waitText(estimate)}</span>}
          </Row>
        </div>
      </Section>
      <Stack gap={3}>
        <Section title="Result">
          {requestId === undefined ? (
            <EmptyState title="Nothing has run yet">The result appears here, with what it cost.</EmptyState>
          ) : (
            <RunPanel
              key={requestId}
              requestId={requestId}
              model={modelEndpoint}
              schema={output}
              stream={stream}
              onRequest={takeInput}
            />
          )}
        </Section>
        <SameCall model={modelEndpoint} input={value} />
      </Stack>
    </div>
  )
}

/** Fields and what is wrong with them, in a line. */
const issueText = (issues: ReadonlyArray<InputIssues.InputIssue>): string | null =>
  issues.length === 0
    ? null
    : issues
        .slice(0, 5)
        .map(({ message, path }) => `${path.join(".") || "input"}: ${message}`)
        .join(" ")

export default Playground
