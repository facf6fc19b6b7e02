import type { Request, Response } from "express";
import { allProjects } from "./store";

export function listProjects(_request: Request, response: Response) {
  response.json(allProjects());
}
