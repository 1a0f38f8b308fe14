// agent-device: its commands that need nothing on the phone. Its snapshot, find
// and scroll need the helper app that it installs, whose code does not run here.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APP, centre, isPng, node, see } from './steps.mjs';

const home = process.env.HOME;
const program = join(home, 'node_modules/agent-device/bin/agent-device.mjs');
const run = (...words) => execFileSync(process.execPath, [program, ...words, '--platform', 'android'], { encoding: 'utf8' });
const adb = (...words) => execFileSync(process.env.ADB, words, { encoding: 'utf8' });
const dump = () => adb('exec-out', 'uiautomator', 'dump', '/dev/tty');

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
const [x, y] = centre(node(dump(), 'btn_increment'));
see('press', run('press', String(x), String(y)), (text) => text.includes('Tapped'));
see('after the press', node(dump(), 'txt_counter').text, 'Counter: 1');
const picture = join(home, 'agent.png');
run('screenshot', picture);
see('screenshot', isPng(readFileSync(picture)));
see('appstate', run('appstate'), (text) => text.includes(APP));
see('type', run('type', 'hello'), (text) => text.includes('5 chars'));
see('back', run('back'), (text) => text.includes('Back'));
see('close', run('close'), (text) => text.includes('Closed'));
process.exit(0);
