// agent-device: it installs a helper app, and asks that for the screen.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APP, isPng, see } from './steps.mjs';

const FORM = 'com.clawperator.form';
const home = process.env.HOME;
const program = join(home, 'node_modules/agent-device/bin/agent-device.mjs');
const run = (...words) => execFileSync(process.execPath, [program, ...words, '--platform', 'android'], { encoding: 'utf8' });

// It leaves a process behind that serves the next command.
const endDaemon = () => {
  try {
    process.kill(JSON.parse(readFileSync(join(home, '.agent-device/daemon.json'), 'utf8')).pid);
  } catch {
    // It has ended, or never began.
  }
};
process.on('exit', endDaemon);

see('devices', run('devices'), (text) => text.includes('Sim Phone'));
see('apps', run('apps'), (text) => text.includes(APP));
see('open', run('open', APP), (text) => text.includes('Opened'));
see('snapshot', run('snapshot'), (text) => text.includes('Counter: 0') && text.includes('Increment'));
const ref = /(@e\d+)[^\n]*Increment/.exec(run('snapshot', '-i'))[1];
see('click', run('click', ref), (text) => text.includes('Tapped'));
see('after the click', run('snapshot'), (text) => text.includes('Counter: 1'));
see('find', run('find', 'Increment', 'click'), (text) => text.includes('Tapped'));
see('after the find', run('snapshot'), (text) => text.includes('Counter: 2'));
const picture = join(home, 'agent.png');
run('screenshot', picture);
see('screenshot', isPng(readFileSync(picture)));
see('appstate', run('appstate'), (text) => text.includes(APP));
see('back', run('back'), (text) => text.includes('Back'));
see('close', run('close'), (text) => text.includes('Closed'));

run('open', 'com.android.settings');
const first = run('snapshot');
see('scroll', run('scroll', 'down'), (text) => text.length > 0);
see('after the scroll', run('snapshot') !== first);
run('close');

run('open', FORM);
run('find', 'Search', 'click');
const field = /(@e\d+) \[text-?field\]/i.exec(run('snapshot', '-i'));
see('a field', field, (found) => found !== null);
run('click', field[1]);
see('type', run('type', 'hello'), (text) => text.includes('5 chars'));
see('after the typing', run('snapshot'), (text) => text.includes('hello'));
run('close');
process.exit(0);
