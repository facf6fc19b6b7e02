import type { Request, Response } from "express";
import { allProjects } from "./store";

const PER_PAGE_MAX = 100;

const positive = (value: unknown, fallback: number) => {
  const number = Number(value ?? fallback);
  return Number.isInteger(number) && number > 0 ? number : fallback;
};

export function listProjects(request: Request, response: Response) {
  const page = positive(request.query.page, 1);
  const perPage = Math.min(positive(request.query.per_page, 20), PER_PAGE_MAX);
  const all = allProjects();
  response.setHeader("X-Total-Count", all.length);
  response.json(all.slice((page - 1) * perPage, page * perPage));
}
