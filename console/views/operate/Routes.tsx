/** The routes of the views of operators, in a layout with their navigation. */
import { createRoute } from "@tanstack/react-router"
import { lazyView } from "#console/app/LazyView.ts"
import { operateRoute } from "#console/app/Root.tsx"
import * as Search from "./Search.ts"

const layoutRoute = createRoute({
  getParentRoute: () => operateRoute,
  id: "area",
  component: lazyView(() => import("./OperateLayout.tsx"), "OperateLayout")
})

const overviewRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "overview",
  validateSearch: Search.scope,
  component: lazyView(() => import("./overview/OverviewView.tsx"), "OverviewView")
})

const modelsRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "models",
  validateSearch: Search.models,
  component: lazyView(() => import("./fleet/ModelsView.tsx"), "ModelsView")
})

const providersRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "providers",
  validateSearch: Search.text,
  component: lazyView(() => import("./fleet/ProvidersView.tsx"), "ProvidersView")
})

const workersRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "workers",
  component: lazyView(() => import("./fleet/WorkersView.tsx"), "WorkersView")
})

const nodesRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "nodes",
  component: lazyView(() => import("./fleet/NodesView.tsx"), "NodesView")
})

const projectionsRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "projections",
  component: lazyView(() => import("./fleet/ProjectionsView.tsx"), "ProjectionsView")
})

const accountsRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "accounts",
  validateSearch: Search.text,
  component: lazyView(() => import("./accounts/AccountsView.tsx"), "AccountsView")
})

const accountRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "accounts/$accountId",
  component: lazyView(() => import("./accounts/AccountView.tsx"), "AccountView")
})

const requestsRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "requests",
  validateSearch: Search.requests,
  component: lazyView(() => import("./requests/AllRequestsView.tsx"), "AllRequestsView")
})

const requestRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "requests/$requestId",
  component: lazyView(() => import("./requests/AnyRequestView.tsx"), "AnyRequestView")
})

const logRoute = createRoute({
  getParentRoute: () => layoutRoute,
  path: "log",
  validateSearch: Search.log,
  component: lazyView(() => import("./log/ServerLogView.tsx"), "ServerLogView")
})

export const operateRoutes = [
  layoutRoute.addChildren([
    overviewRoute,
    modelsRoute,
    providersRoute,
    workersRoute,
    nodesRoute,
    projectionsRoute,
    accountsRoute,
    accountRoute,
    requestsRoute,
    requestRoute,
    logRoute
  ])
] as const
