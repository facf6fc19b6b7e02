// A reporter for Vitest, from 0.34 on. It runs in the main process; tests run in workers.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { Events, place } = createRequire(import.meta.url)('./events.cjs');
const setup = fileURLToPath(new URL('./vitest_setup.mjs', import.meta.url));

/** The names of what a task stands in, and its own, below its file. */
function titles(task) {
  const names = [];
  for (let at = task; at && at !== task.file && at.type !== 'module' && at.suite !== at; at = at.suite ?? at.parent) {
    if (at.filepath !== undefined) break;
    if (at.name) names.unshift(at.name);
  }
  return names;
}

function identify(task) {
  const file = task.file?.filepath ?? task.filepath ?? task.module?.moduleId;
  return { file, id: [place(file), ...titles(task)].join(' > ') };
}

export default class Reporter {
  events = undefined;
  vitest = undefined;
  begun = new Set();
  /** What has been told of its end, by the runner's ids. */
  told = new Set();
  finished = false;

  onInit(vitest) {
    this.vitest = vitest;
    this.events = new Events('vitest', vitest.version ?? vitest.server?.config?.version);
    // Checks of ours run beside the project's own, in every file.
    const configs = [vitest.config, ...(vitest.projects ?? []).map((project) => project.config)];
    for (const config of new Set(configs)) {
      if (Array.isArray(config?.setupFiles) && !config.setupFiles.includes(setup)) config.setupFiles.push(setup);
    }
  }

  begin(id, file) {
    if (this.begun.has(id)) return;
    this.begun.add(id);
    this.events.start(id, file);
  }

  cease(id) {
    if (this.begun.delete(id)) this.events.close(id);
  }

  // Up to version 2.
  onTaskUpdate(packs) {
    for (const [taskId, result] of packs) {
      const task = this.vitest.state?.idMap?.get?.(taskId);
      if (!task || task.type === 'suite' || task.filepath !== undefined) continue;
      const { file, id } = identify(task);
      if (result?.state === 'run') this.begin(id, file);
      else if (result?.state) this.cease(id);
    }
  }

  // From version 3 on, as things happen: a worker that is killed takes version 3 along.
  onTestModuleStart(module) {
    this.begin(place(module.moduleId), module.moduleId);
  }

  onTestModuleEnd(module) {
    this.module(module);
  }

  onTestCaseReady(test) {
    const { file, id } = this.caseOf(test);
    this.begin(id, file);
  }

  onTestCaseResult(test) {
    this.case(test);
  }

  caseOf(test) {
    const file = test.module.moduleId;
    const names = [];
    for (let at = test; at && at.type !== 'module'; at = at.parent) names.unshift(at.name);
    return { file, id: [place(file), ...names].join(' > ') };
  }

  onFinished(files = [], errors = []) {
    if (this.finished) return;
    for (const file of files) this.file(file);
    this.finish(errors);
  }

  onTestRunEnd(modules = [], errors = [], reason = undefined) {
    if (this.finished) return;
    for (const module of modules) this.module(module);
    if (reason === 'interrupted') this.events.fault('the run', undefined, 'it was interrupted');
    this.finish(errors);
  }

  finish(errors) {
    this.finished = true;
    for (const id of [...this.begun]) this.cease(id);
    for (const error of errors) {
      const where = error?.VITEST_TEST_PATH ?? error?.file;
      this.events.fault(where ? `${place(where)} (unhandled)` : 'an unhandled error', where, error);
    }
    this.events.done();
  }

  file(file) {
    const before = this.events.counts.failed;
    const walk = (task) => {
      if (task.type !== 'suite' && task.filepath === undefined) {
        this.task(task);
        return;
      }
      for (const child of task.tasks ?? []) walk(child);
      if (task.filepath === undefined && task.result?.errors?.length && task.result.state === 'fail') {
        this.events.fault(identify(task).id, file.filepath, task.result.errors[0]);
      }
    };
    walk(file);
    const state = file.result?.state;
    const errors = file.result?.errors ?? [];
    if (errors.length) this.events.fault(place(file.filepath), file.filepath, errors[0]);
    else if (state === 'fail' && this.events.counts.failed === before) {
      this.events.fault(place(file.filepath), file.filepath, 'it failed, and does not say why');
    } else if (file.mode === 'run' && state !== 'pass' && state !== 'fail' && state !== 'skip') {
      this.events.fault(place(file.filepath), file.filepath, 'it was not brought to an end');
    }
  }

  task(task) {
    const { file, id } = identify(task);
    this.cease(id);
    const state = task.result?.state;
    if (state === 'pass') this.events.end(id, file, 'passed', undefined, task.result.duration);
    else if (task.mode === 'skip' || task.mode === 'todo' || state === 'skip' || state === 'todo') {
      this.events.end(id, file, 'skipped');
    } else {
      const said = task.result?.errors?.[0] ?? 'it was not brought to an end';
      this.events.end(id, file, 'failed', said, task.result?.duration);
    }
  }

  case(test) {
    if (this.told.has(test.id)) return;
    const { file, id } = this.caseOf(test);
    const result = test.result() ?? { state: 'pending' };
    const ms = test.diagnostic?.()?.duration;
    this.told.add(test.id);
    this.cease(id);
    if (result.state === 'passed') this.events.end(id, file, 'passed', undefined, ms);
    else if (result.state === 'skipped') this.events.end(id, file, 'skipped');
    else this.events.end(id, file, 'failed', result.errors?.[0] ?? 'it was not brought to an end', ms);
  }

  module(module) {
    if (this.told.has(module.id)) return;
    this.told.add(module.id);
    const file = module.moduleId;
    this.cease(place(file));
    const faults = this.events.counts.failed;
    for (const test of module.children.allTests()) this.case(test);
    for (const suite of module.children.allSuites?.() ?? []) {
      const errors = suite.errors?.() ?? [];
      if (errors.length) this.events.fault(this.caseOf(suite).id, file, errors[0]);
    }
    const errors = module.errors?.() ?? [];
    const state = module.state?.();
    const failing = [...module.children.allTests('failed')].length > 0;
    if (errors.length) this.events.fault(place(file), file, errors[0]);
    else if (state === 'failed' && !failing && this.events.counts.failed === faults) {
      this.events.fault(place(file), file, 'it failed, and does not say why');
    } else if (state === 'pending' || state === 'queued') {
      this.events.fault(place(file), file, 'it was not brought to an end');
    }
  }
}
