/** The routes of auditors. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { operateRoute } from "#console/app/Root.tsx"
import * as ActionsSearch from "./actions/ActionsSearch.ts"
import * as BalanceSearch from "./balance/BalanceSearch.ts"
import * as BooksSearch from "./books/BooksSearch.ts"
import * as JournalSearch from "./journal/JournalSearch.ts"
import * as LogSearch from "./log/LogSearch.ts"

const logRoute = createRoute({
  getParentRoute: () => operateRoute,
  path: "audit/log",
  validateSearch: LogSearch.parse,
  component: lazyRouteComponent(() => import("./log/LogView.tsx"), "LogView")
})

const booksRoute = createRoute({
  getParentRoute: () => operateRoute,
  path: "audit/books",
  validateSearch: BooksSearch.parse,
  component: lazyRouteComponent(() => import("./books/BooksView.tsx"), "BooksView")
})

const journalRoute = createRoute({
  getParentRoute: () => operateRoute,
  path: "audit/journal",
  validateSearch: JournalSearch.parse,
  component: lazyRouteComponent(() => import("./journal/JournalView.tsx"), "JournalView")
})

const balanceRoute = createRoute({
  getParentRoute: () => operateRoute,
  path: "audit/balance",
  validateSearch: BalanceSearch.parse,
  component: lazyRouteComponent(() => import("./balance/BalanceView.tsx"), "BalanceView")
})

const actionsRoute = createRoute({
  getParentRoute: () => operateRoute,
  path: "audit/actions",
  validateSearch: ActionsSearch.parse,
  component: lazyRouteComponent(() => import("./actions/ActionsView.tsx"), "ActionsView")
})

const operatorsRoute = createRoute({
  getParentRoute: () => operateRoute,
  path: "operators",
  component: lazyRouteComponent(() => import("../operators/OperatorsView.tsx"), "OperatorsView")
})

export const auditRoutes = [
  logRoute,
  booksRoute,
  journalRoute,
  balanceRoute,
  actionsRoute,
  operatorsRoute
] as const
